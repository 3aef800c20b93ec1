package io.holdfast.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a wish for jobs got.
 *
 * @param jobs oldest eligibility first
 * @param paused the queues that gave nothing because they are paused
 * @param more whether asking again at once may bring some, because jobs that cannot run were in the
 *     way, or because large ones filled the answer (16 MiB)
 * @param at the database's clock
 * @param nextAt when there may be something, if fewer came than were asked for and that is known
 * @param waited for how long the wish had waited when the jobs were leased, or a little less: so
 *     long after it was made their leases began
 */
public record Reserved(
    List<LeasedJob> jobs,
    Set<String> paused,
    boolean more,
    Instant at,
    @Nullable Instant nextAt,
    Duration waited) {
  /** The answer to a wish that did not wait. */
  public Reserved(
      List<LeasedJob> jobs,
      Set<String> paused,
      boolean more,
      Instant at,
      @Nullable Instant nextAt) {
    this(jobs, paused, more, at, nextAt, Duration.ZERO);
  }

  /** The same, after so much more waiting. */
  Reserved after(Duration more) {
    return new Reserved(jobs, paused, this.more, at, nextAt, waited.plus(more));
  }

  /** What gives all of it back to where it was. */
  List<Settlement> returned() {
    return jobs.stream().<Settlement>map(job -> new Settlement.Release(job.held(), null)).toList();
  }
}
