package io.holdfast.job;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long a job waits after a failure: a base, multiplied with each further failure, up to a cap,
 * scattered by a jitter.
 *
 * @param jitter from 0 to 1: the part by which the delay may be shorter or longer
 */
public record Backoff(Duration base, double multiplier, Duration cap, double jitter) {
  /** A second, doubled up to an hour, give or take a fifth. */
  public static final Backoff DEFAULT =
      new Backoff(Duration.ofSeconds(1), 2, Duration.ofHours(1), 0.2);

  public Backoff {
    if (!(multiplier >= 1)) {
      throw JobException.invalid("multiplier must be at least 1");
    }
    if (cap.compareTo(base) < 0) {
      throw JobException.invalid("cap must not be below base");
    }
    if (!(jitter >= 0 && jitter <= 1)) {
      throw JobException.invalid("jitter must be from 0 to 1");
    }
  }

  /** No delay at all. */
  public static Backoff none() {
    return new Backoff(Duration.ZERO, 1, Duration.ZERO, 0);
  }

  /** Always the same delay. */
  public static Backoff fixed(Duration delay) {
    return new Backoff(delay, 1, delay, 0);
  }

  /** The delay after so many failures; {@code random} scatters it. */
  public Duration delay(int failures, RandomGenerator random) {
    if (failures <= 0 || base.isZero() || base.isNegative()) {
      return Duration.ZERO;
    }
    double most = nanos(cap);
    double plain = Math.min(most, nanos(base) * Math.pow(multiplier, failures - 1.0));
    double scattered =
        jitter == 0 ? plain : plain * (1 - jitter + 2 * jitter * random.nextDouble());
    return Duration.ofNanos((long) Math.max(0, Math.min(most, scattered)));
  }

  /** Durations beyond 292 years are all the same. */
  private static double nanos(Duration duration) {
    return duration.toSeconds() > Long.MAX_VALUE / 1_000_000_000L
        ? Long.MAX_VALUE
        : duration.toNanos();
  }
}
