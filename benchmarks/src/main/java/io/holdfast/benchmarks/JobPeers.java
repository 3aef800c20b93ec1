package io.holdfast.benchmarks;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which peers take part in a run.
 *
 * @param wanted those that were asked for
 * @param node where those are that need Node.js
 */
record JobPeers(Set<JobPeer> wanted, NodePeers node) {
  /** Whether it was asked for and can be had. */
  boolean has(JobPeer peer) {
    return wanted.contains(peer) && (!peer.needsNode() || node.missing() == null);
  }

  /** Those that take part, in their order. */
  Map<JobPeer, Drained> open(Place place) throws IOException {
    Map<JobPeer, Drained> open = new LinkedHashMap<>();
    for (JobPeer peer : JobPeer.values()) {
      if (has(peer)) {
        open.put(peer, peer.open(node, place));
      }
    }
    return open;
  }
}
