package io.holdfast.testkit.job;

import io.holdfast.job.Held;
import io.holdfast.job.JobError;
import io.holdfast.job.Jobs;
import io.holdfast.job.Settlement;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everything that the holder of a lease may say about his run. */
enum RunCall {
  EXTEND,
  ACK,
  RETRY,
  FAIL,
  RELEASE,
  REPORT;

  /** Says it; answers why it was refused, or null. */
  @Nullable JobError on(Jobs jobs, Held held) {
    return this == EXTEND
        ? jobs.extend(List.of(held), Duration.ofMinutes(5)).get(0).error()
        : jobs.settle(List.of(settlement(held))).get(0).error();
  }

  private Settlement settlement(Held held) {
    byte[] bytes = {1, 2, 3};
    return switch (this) {
      case ACK -> new Settlement.Ack(held, bytes);
      case RETRY -> new Settlement.Retry(held, null, Duration.ofMinutes(1), "error", 5, null);
      case FAIL -> new Settlement.Fail(held, "reason", "error", 5);
      case RELEASE -> new Settlement.Release(held, Duration.ofMinutes(1));
      default -> new Settlement.Report(held, 50, "note", bytes);
    };
  }
}
