package io.holdfast.job;

import io.holdfast.lease.StoreCall;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Work in the background, in bounded steps. Every process may do it, at the same time. Safe for use
 * by many threads.
 */
public interface JobUpkeep {
  /**
   * What a step of firing schedules did.
   *
   * @param fired how many slots made a job
   * @param nextIn how long until the next slot of any schedule; null: there is none
   */
  record Ticked(int fired, Effects effects, @Nullable Duration nextIn) {}

  /** What a step of letting jobs pass did. */
  record Swept(int admitted, Effects effects) {}

  /** Fires schedules whose slot has come; two processes never fire one slot twice. */
  Ticked tick(StoreCall call);

  /** Lets waiting jobs of up to 200 keys pass, as {@link JobLimits#admit}, without waiting. */
  Swept sweep(StoreCall call);

  /** Notes when jobs ended that others finished without saying; answers how many. */
  int adopt(StoreCall call);

  /** Deletes up to 1,000 jobs that have been kept for long enough; answers how many. */
  int retain(StoreCall call);

  /** Forgets workers that have not been seen for ten minutes; answers how many. */
  int forgetWorkers(StoreCall call);
}
