package io.holdfast.job;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What runs jobs of one type.
 *
 * @param timeout how long a run may take whose job does not say so; zero: no limit
 */
record Registration(Call call, Duration timeout) {
  /** Runs a job; a {@link CompletionStage} is the promise of an output. */
  @FunctionalInterface
  interface Call {
    @Nullable Object run(byte[] payload, JobContext context) throws Exception;
  }

  static <P> Registration of(JobCodec codec, Class<P> type, JobHandler<? super P> handler) {
    return new Registration(
        (payload, context) -> handler.run(decoded(codec, payload, type), context), Duration.ZERO);
  }

  /** What cannot be read now can never be. */
  @SuppressWarnings("NullAway") // a payload may be null, and its handler knows
  private static <P> P decoded(JobCodec codec, byte[] payload, Class<P> type) {
    try {
      return codec.decode(payload, type);
    } catch (RuntimeException e) {
      throw new Unrecoverable("the payload cannot be read: " + e.getMessage(), e);
    }
  }

  Registration timeout(Duration value) {
    return new Registration(call, value);
  }
}
