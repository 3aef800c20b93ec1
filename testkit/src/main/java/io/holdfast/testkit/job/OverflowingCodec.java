package io.holdfast.testkit.job;

import io.holdfast.job.JobCodec;
import org.jspecify.annotations.Nullable;

/** Reads text, and writes nothing: its stack overflows, as with an object that contains itself. */
final class OverflowingCodec implements JobCodec {
  @Override
  public byte[] encode(@Nullable Object value) {
    throw new StackOverflowError();
  }

  @Override
  public <T> @Nullable T decode(byte[] bytes, Class<T> type) {
    return JobCodec.plain().decode(bytes, type);
  }
}
