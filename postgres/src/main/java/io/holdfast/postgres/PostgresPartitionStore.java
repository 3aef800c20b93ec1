package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.ItemLifecycle;
import io.holdfast.queue.Partition;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.PartitionStore;
import io.holdfast.queue.QueueInfo;
import java.util.ArrayList;
import java.util.List;

/** Opens partitions in the one database there is. Safe for use by many threads. */
final class PostgresPartitionStore implements PartitionStore {
  private static final int PER_STATEMENT = 50;

  private final QueueKernel kernel;
  private final StoreCaller caller;
  private final PartitionSurvey survey;

  PostgresPartitionStore(QueueKernel kernel) {
    this.kernel = kernel;
    this.caller = StoreCaller.pooled(kernel.transactions());
    this.survey = new PartitionSurvey(kernel);
  }

  @Override
  public Partition open(QueueInfo queue, PartitionInfo partition) {
    return new PostgresPartition(new PartitionContext(kernel, caller, queue, partition), survey);
  }

  @Override
  public List<ItemLifecycle.Info> lifecycleInfo(List<Partition> partitions, StoreCall call) {
    return inGroups(partitions, group -> survey.lifecycleInfo(group, call));
  }

  @Override
  public List<Boolean> probe(List<Partition> partitions, StoreCall call) {
    return inGroups(partitions, group -> survey.probe(group, call));
  }

  private interface Survey<T> {
    List<T> of(List<PartitionContext> group);
  }

  private static <T> List<T> inGroups(List<Partition> partitions, Survey<T> survey) {
    List<PartitionContext> contexts =
        partitions.stream().map(part -> ((PostgresPartition) part).context()).toList();
    List<T> answers = new ArrayList<>(contexts.size());
    for (int from = 0; from < contexts.size(); from += PER_STATEMENT) {
      int to = Math.min(contexts.size(), from + PER_STATEMENT);
      answers.addAll(survey.of(contexts.subList(from, to)));
    }
    return answers;
  }
}
