package io.holdfast;

/** Why a call failed. The same few codes serve every capability, whatever the store. */
public enum ErrorCode {
  /** The caller's mistake: the same call can never succeed. */
  INVALID_ARGUMENT("InvalidArgument"),
  /** The database is away, restarting, read-only or overloaded. Worth repeating later. */
  SERVICE_UNAVAILABLE("ServiceUnavailable"),
  /** Too many connections. Worth repeating later, with less concurrency. */
  RATE_LIMITED("RateLimited"),
  /** The database refused the credentials or the privilege. */
  AUTH_FAILED("AuthFailed"),
  /** A time limit passed while waiting for the network or for a database lock. */
  NETWORK_TIMEOUT("NetworkTimeout"),
  /** The caller cancelled, or its thread was interrupted. */
  ABORTED("Aborted"),
  /** A lock stayed taken for as long as the caller was willing to wait. */
  ACQUISITION_TIMEOUT("AcquisitionTimeout"),
  /** A newer holder has acted already; this one's transaction must not commit. */
  STALE_FENCE("StaleFence"),
  /** The lease ran out or was taken away while its holder still relied on it. */
  LEASE_LOST("LeaseLost"),
  /** The state of the thing forbids it now: not leased, not empty, in use. */
  CONFLICT("Conflict"),
  /** Too much is waiting already. Worth repeating later. */
  OVERLOADED("Overloaded"),
  /** Closed, or about to be. */
  CLOSED("Closed"),
  /** Everything else: a broken invariant or a defect. */
  INTERNAL("Internal");

  private final String text;

  ErrorCode(String text) {
    this.text = text;
  }

  /** The spelling used on the wire and in logs. */
  public String text() {
    return text;
  }
}
