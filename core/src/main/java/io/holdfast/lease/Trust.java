package io.holdfast.lease;

/**
 * How long this process may still believe in a lease. The deadline is counted on the monotonic
 * clock from the moment the request <em>started</em>, and ends a margin before the lease itself
 * does: the answer may have taken long, and the holder needs time to stop. Safe for use by many
 * threads.
 */
public final class Trust {
  private static final long MAX_MARGIN_MS = 1000;

  private final Time time;
  private volatile long sinceNanos;
  private volatile long untilNanos;

  /** Trust in a lease of {@code ttlMs} asked for at {@code requestedNanos}. */
  public Trust(Time time, long requestedNanos, long ttlMs) {
    this.time = time;
    renew(requestedNanos, ttlMs);
  }

  /** Starts anew from a renewal asked for at {@code requestedNanos}; only a successful one may. */
  public void renew(long requestedNanos, long ttlMs) {
    sinceNanos = requestedNanos;
    untilNanos = Time.after(requestedNanos, ttlMs - Math.min(MAX_MARGIN_MS, ttlMs / 10));
  }

  /** True while the lease may be relied on. */
  public boolean holds() {
    return untilNanos - time.nanos() > 0;
  }

  /** When what is trusted in was asked for. */
  public long sinceNanos() {
    return sinceNanos;
  }

  /** The deadline on the monotonic clock. */
  public long untilNanos() {
    return untilNanos;
  }
}
