package io.holdfast.postgres;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * What an operation chooses with. All choices follow from one number, and those of zero are the
 * first ones: a failing sequence is shrunk to them.
 */
final class DifferentialJobDice {
  /** The clock counts milliseconds, stored instants microseconds: these lie around the clock. */
  private static final List<Long> NANOS = List.of(0L, -1_000L, 1_000L, 0L, -1_000L, 1_999L);

  private final @Nullable Random random;

  DifferentialJobDice(int seed) {
    this.random = seed == 0 ? null : new Random(seed * 2_654_435_761L);
  }

  int below(int bound) {
    return random == null ? 0 : random.nextInt(bound);
  }

  @SafeVarargs
  final <T extends @Nullable Object> T one(T... values) {
    return values[below(values.length)];
  }

  <T> T of(List<T> values) {
    return values.get(below(values.size()));
  }

  /** Once in so many times. */
  boolean once(int in) {
    return below(in) == in - 1;
  }

  /** A value once in so many times, else null. */
  <T> @Nullable T maybe(int in, T value) {
    return once(in) ? value : null;
  }

  /** So many milliseconds, or a microsecond less or more. */
  Duration about(long ms) {
    return Duration.ofMillis(ms).plusNanos(of(NANOS));
  }

  /** An instant from past to near future, also at the very ends of what is soon. */
  Instant near(Instant now) {
    return now.plus(about(one(5_000L, 0L, 1_000L, -3_000L, 2_000L, 20_000L)));
  }
}
