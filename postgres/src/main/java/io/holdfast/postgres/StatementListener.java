package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Hears of every database call, on the thread that made it. What it throws is swallowed. */
@FunctionalInterface
public interface StatementListener {
  /** A call ended; {@code error} is null when it succeeded. */
  void executed(String operation, Duration took, @Nullable ErrorCode error);
}
