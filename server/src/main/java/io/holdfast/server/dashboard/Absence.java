package io.holdfast.server.dashboard;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** Something that was deleted while it was looked at. */
final class Absence {
  private Absence() {}

  /** Null if {@code failure} says that the thing is not there; else it is thrown. */
  static <T> @Nullable T of(RuntimeException failure) {
    if (failure instanceof HoldfastException known
        && (known.code() == ErrorCode.INVALID_ARGUMENT || known.code() == ErrorCode.CONFLICT)) {
      return null;
    }
    throw failure;
  }
}
