package io.holdfast.stream;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Where a cursor is put. */
public record Position(Kind kind, @Nullable Instant at, long offset) {
  /** Before the first retained message. */
  public static final Position BEGIN = new Position(Kind.BEGIN, null, 0);

  /** Behind the last message. */
  public static final Position END = new Position(Kind.END, null, 0);

  /** Behind the last message that was there at this moment. */
  public static Position at(Instant moment) {
    return new Position(Kind.TIMESTAMP, moment, 0);
  }

  /** So that the message with this number comes next. */
  public static Position offset(long next) {
    return new Position(Kind.OFFSET, null, next);
  }

  /** The kinds of position. */
  public enum Kind {
    BEGIN,
    END,
    TIMESTAMP,
    OFFSET
  }
}
