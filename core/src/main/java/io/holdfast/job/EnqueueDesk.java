package io.holdfast.job;

import io.holdfast.lease.Coalescer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Where jobs come in: concurrent calls share statements. Safe for use by many threads. */
final class EnqueueDesk {
  private final JobEngine jobs;
  private final Coalescer<Batch, List<Enqueued>> calls;

  EnqueueDesk(JobEngine jobs) {
    this.jobs = jobs;
    this.calls = jobs.coalescer("enqueue", this::run, batch -> batch.rows().size(), Batch::names);
  }

  CompletableFuture<List<Enqueued>> enqueue(List<NewJob> drafts, boolean isWaiting) {
    JobRules.checkThread();
    Batch batch = Batch.of(JobRules.rows(drafts, jobs.options, jobs.ids));
    jobs.start();
    CompletableFuture<List<Enqueued>> future = new CompletableFuture<>();
    (isWaiting ? calls.callOrSubmit(batch) : calls.submit(batch))
        .whenComplete(JobEngine.complete(future));
    return future;
  }

  private List<List<Enqueued>> run(List<Batch> batches) {
    List<JobRow> rows = batches.stream().flatMap(batch -> batch.rows().stream()).toList();
    JobStore.Stored stored =
        jobs.engine.call(() -> jobs.backend.store().enqueue(rows, jobs.storeCall()));
    jobs.spread(stored.effects());
    List<List<Enqueued>> answers = new ArrayList<>(batches.size());
    int next = 0;
    for (Batch batch : batches) {
      int end = next + batch.rows().size();
      answers.add(batch.answers(stored.jobs().subList(next, end)));
      next = end;
    }
    return answers;
  }

  void close() {
    calls.refuseWaiting(JobException::closed);
  }
}
