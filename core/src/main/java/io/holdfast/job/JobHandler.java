package io.holdfast.job;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs of one type. What it returns is the job's output; what it throws is a failure of the
 * job: an {@link Unrecoverable} ends it at once, a {@link Snooze} lets it wait without counting,
 * and everything else is judged by the worker's {@link RetryPolicy}.
 */
@FunctionalInterface
public interface JobHandler<P> {
  /** Runs a job; it must end soon when its thread is interrupted. */
  @Nullable Object run(P payload, JobContext context) throws Exception;

  /** One that has no output. */
  @FunctionalInterface
  interface Action<P> {
    void run(P payload, JobContext context) throws Exception;
  }

  /** One that returns before its work is done. */
  @FunctionalInterface
  interface Async<P> {
    CompletionStage<? extends @Nullable Object> run(P payload, JobContext context) throws Exception;
  }
}
