package io.holdfast.job;

import java.util.List;

/** Settles one run, where a refusal is a failure. */
final class Settling {
  private Settling() {}

  static Settled one(Jobs jobs, Settlement item) {
    Settled settled = jobs.settle(List.of(item)).get(0);
    JobError error = settled.error();
    if (error != null) {
      throw refusal(item.held().id(), error);
    }
    return settled;
  }

  /** A refusal in words. */
  static JobException refusal(String id, JobError error) {
    String why =
        switch (error) {
          case LEASE_EXPIRED -> "its lease has expired";
          case LEASE_MISMATCH -> "somebody else holds it";
          default -> "it is not being run under this token";
        };
    return JobException.about(id, error, "job '" + id + "' cannot be settled: " + why);
  }
}
