package io.holdfast.job;

import java.time.Instant;

/**
 * A job that the caller may run now.
 *
 * @param token what every call about this run has to name
 * @param leaseExpiresAt when the permission ends
 */
public record LeasedJob(Job job, String token, Instant leaseExpiresAt) {
  /** The job's id. */
  public String id() {
    return job.id();
  }

  /** A number that only grows from one run of the job to the next. */
  public int fence() {
    return job.history().deliveries();
  }

  /** What names this run. */
  public Held held() {
    return new Held(job.id(), token);
  }

  @Override
  public String toString() {
    return "LeasedJob[" + job.id() + ", fence=" + fence() + "]";
  }
}
