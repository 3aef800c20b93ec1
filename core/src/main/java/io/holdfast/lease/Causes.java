package io.holdfast.lease;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Takes off what futures wrap around a failure. */
public final class Causes {
  private Causes() {}

  /** What failed. */
  public static Throwable of(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** The same for a future that may not have failed. */
  public static @Nullable Throwable ofNullable(@Nullable Throwable failure) {
    return failure == null ? null : of(failure);
  }
}
