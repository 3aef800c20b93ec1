package io.holdfast.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A recurring job as it is stored.
 *
 * @param isEnabled whether it fires
 * @param nextAt its next slot
 * @param lastSlot the slot that fired last
 * @param lastJobId the job of that slot
 */
public record Schedule(
    ScheduleSpec spec,
    boolean isEnabled,
    Instant nextAt,
    @Nullable Instant lastSlot,
    @Nullable String lastJobId) {
  /** What names it. */
  public String name() {
    return spec.name();
  }
}
