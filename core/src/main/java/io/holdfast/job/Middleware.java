package io.holdfast.job;

import org.jspecify.annotations.Nullable;

/** Wraps every run of a worker. The one registered first is outermost. */
@FunctionalInterface
public interface Middleware {
  /** Runs the job by calling {@code next}, or not. */
  @Nullable Object around(JobContext context, Next next) throws Exception;

  /** What is wrapped. */
  @FunctionalInterface
  interface Next {
    @Nullable Object run() throws Exception;
  }
}
