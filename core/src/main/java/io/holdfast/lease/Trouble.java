package io.holdfast.lease;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Tells about something that is done again and again: once that it fails, not each time, and once
 * that it works again. Another failure than the last is told, too. Safe for use by many threads.
 */
public final class Trouble {
  private final Logger log;
  private final String what;
  private @Nullable String told;

  /** About {@code what}, which works as far as anybody knows. */
  public Trouble(Logger log, String what) {
    this.log = log;
    this.what = what;
  }

  /** It failed. Where, is told of defects. */
  public synchronized void failed(RuntimeException failure) {
    boolean isExpected =
        failure instanceof HoldfastException known && known.code() != ErrorCode.INTERNAL;
    String kind = isExpected ? ((HoldfastException) failure).code().name() : failure.toString();
    if (kind.equals(told)) {
      return;
    }
    told = kind;
    if (isExpected) {
      log.warn("{} failed and is repeated: {}", what, failure.getMessage());
    } else {
      log.warn("{} failed and is repeated: {}", what, failure.getMessage(), failure);
    }
  }

  /** It worked. */
  public synchronized void worked() {
    if (told != null) {
      told = null;
      log.info("{} works again", what);
    }
  }
}
