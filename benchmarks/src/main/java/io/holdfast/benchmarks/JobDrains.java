package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Working off jobs: ours, deleting and keeping what is finished, beside the peers. */
final class JobDrains {
  private final HoldfastDrain deleting;
  private final HoldfastDrain keeping;
  private final List<DrainSeries> ours = new ArrayList<>();
  private final Map<JobPeer, DrainSeries> peers = new EnumMap<>(JobPeer.class);

  JobDrains(BenchJobs jobs) {
    this.deleting = new HoldfastDrain("Holdfast", jobs, HoldfastDrain.Terms.DELETING);
    this.keeping = new HoldfastDrain("Holdfast, kept", jobs, HoldfastDrain.Terms.KEEPING);
  }

  void measure(Drains drains, Map<JobPeer, Drained> others, JobProfile profile) throws Exception {
    List<Drained> subjects = new ArrayList<>(List.of(deleting, keeping));
    subjects.addAll(others.values());
    List<DrainSeries> found = drains.run(subjects, profile);
    ours.addAll(found.subList(0, 2));
    int next = ours.size();
    for (JobPeer peer : others.keySet()) {
      peers.put(peer, found.get(next++));
    }
  }

  DrainSeries deleting() {
    return ours.get(0);
  }

  DrainSeries keeping() {
    return ours.get(1);
  }

  /** What a peer gave; null when it did not take part. */
  @Nullable DrainSeries peer(JobPeer peer) {
    return peers.get(peer);
  }

  List<DrainSeries> all() {
    List<DrainSeries> all = new ArrayList<>(ours);
    all.addAll(peers.values());
    return all;
  }

  /** What ours said to the server in the last round. */
  List<List<String>> statements() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(StatementTimes.HEADER);
    rows.addAll(deleting.statements().rows(deleting.title()));
    rows.addAll(keeping.statements().rows(keeping.title()));
    return rows;
  }
}
