package io.holdfast.testkit.job;

import io.holdfast.job.JobContext;
import io.holdfast.job.JobHandler;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs, told apart by their texts, that hold no thread and end when the test says so. Safe for
 * use by many threads.
 */
final class PendingHandler implements JobHandler.Async<String> {
  private final List<String> begun = new CopyOnWriteArrayList<>();
  private final Map<String, JobContext> contexts = new ConcurrentHashMap<>();
  private final Map<String, CompletableFuture<@Nullable Object>> runs = new ConcurrentHashMap<>();

  @Override
  public CompletionStage<@Nullable Object> run(String text, JobContext context) {
    CompletableFuture<@Nullable Object> run = new CompletableFuture<>();
    contexts.put(text, context);
    runs.put(text, run);
    begun.add(text);
    return run;
  }

  /** What has begun, in its order. */
  List<String> begun() {
    return begun;
  }

  /** The latest run of this text. */
  JobContext context(String text) {
    return Objects.requireNonNull(contexts.get(text), "it has not begun");
  }

  void end(String text) {
    end(text, null);
  }

  void end(String text, @Nullable Object output) {
    run(text).complete(output);
  }

  void fail(String text, Throwable failure) {
    run(text).completeExceptionally(failure);
  }

  private CompletableFuture<@Nullable Object> run(String text) {
    return Objects.requireNonNull(runs.get(text), "it has not begun");
  }

  /** Ends what has not ended. */
  void endAll() {
    runs.values().forEach(run -> run.complete(null));
  }
}
