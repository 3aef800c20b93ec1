package io.holdfast.benchmarks;

import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** The job systems that ours is measured beside. */
enum JobPeer {
  GRAPHILE("graphile-worker"),
  PG_BOSS("pg-boss"),
  DB_SCHEDULER("db-scheduler"),
  JOBRUNR("jobrunr");

  private final String title;

  JobPeer(String title) {
    this.title = title;
  }

  static Set<JobPeer> all() {
    return EnumSet.allOf(JobPeer.class);
  }

  /** The names of all, as one writes them. */
  static String titles() {
    return Arrays.stream(values()).map(peer -> peer.title).collect(Collectors.joining(", "));
  }

  static JobPeer of(String title) {
    return Arrays.stream(values())
        .filter(peer -> peer.title.equals(title))
        .findAny()
        .orElseThrow(() -> new IllegalArgumentException("--peers knows " + titles()));
  }

  boolean needsNode() {
    return this == GRAPHILE || this == PG_BOSS;
  }

  Drained open(NodePeers node, Place place) throws IOException {
    return switch (this) {
      case GRAPHILE -> new NodeDrain(NodeDrain.Kind.GRAPHILE, node, place);
      case PG_BOSS -> new NodeDrain(NodeDrain.Kind.PG_BOSS, node, place);
      case DB_SCHEDULER -> new DbSchedulerDrain(place);
      case JOBRUNR -> new JobRunrDrain(place);
    };
  }
}
