package io.holdfast.job;

import io.holdfast.lease.Coalescer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Where runs are settled: concurrent calls share statements. Safe for use by many threads. */
final class SettleDesk {
  private final JobEngine jobs;
  private final Coalescer<List<Settlement>, List<Settled>> calls;

  SettleDesk(JobEngine jobs) {
    this.jobs = jobs;
    this.calls = jobs.coalescer("settle", this::run, List::size, SettleDesk::ids);
  }

  private static Collection<String> ids(List<Settlement> items) {
    return items.stream().map(item -> item.held().id()).toList();
  }

  CompletableFuture<List<Settled>> settle(List<? extends Settlement> items, boolean isWaiting) {
    JobRules.checkThread();
    List<Settlement> checked = JobRules.settlements(items);
    jobs.start();
    CompletableFuture<List<Settled>> future = new CompletableFuture<>();
    (isWaiting ? calls.callOrSubmit(checked) : calls.submit(checked))
        .whenComplete(JobEngine.complete(future));
    return future;
  }

  private List<List<Settled>> run(List<List<Settlement>> lists) {
    List<Settlement> all = lists.stream().flatMap(List::stream).toList();
    List<Settled> settled = settleAll(all);
    List<List<Settled>> answers = new ArrayList<>(lists.size());
    int next = 0;
    for (List<Settlement> list : lists) {
      answers.add(List.copyOf(settled.subList(next, next + list.size())));
      next += list.size();
    }
    return answers;
  }

  /** Items of one job are settled one after the other, in their order. */
  private List<Settled> settleAll(List<Settlement> all) {
    Settled[] answers = new Settled[all.size()];
    List<Integer> open = IntStream.range(0, all.size()).boxed().toList();
    while (!open.isEmpty()) {
      Set<String> named = new HashSet<>();
      List<Integer> round = new ArrayList<>();
      List<Integer> later = new ArrayList<>();
      for (int place : open) {
        (named.add(all.get(place).held().id()) ? round : later).add(place);
      }
      List<Settled> settled = settleOnce(round.stream().map(all::get).toList());
      for (int i = 0; i < round.size(); i++) {
        answers[round.get(i)] = settled.get(i);
      }
      open = later;
    }
    return List.of(answers);
  }

  private List<Settled> settleOnce(List<Settlement> items) {
    JobStore.Answer answer =
        jobs.engine.call(() -> jobs.backend.store().settle(items, jobs.storeCall()));
    jobs.spread(answer.effects());
    return answer.settled();
  }

  void close() {
    calls.refuseWaiting(JobException::closed);
  }
}
