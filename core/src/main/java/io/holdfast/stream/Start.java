package io.holdfast.stream;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Where a new group starts to read. The group without a name always starts at the beginning. */
public record Start(Mode mode, @Nullable Instant at) {
  /** At the first retained message. */
  public static final Start ALL = new Start(Mode.ALL, null);

  /** Behind what is there now. */
  public static final Start NEW = new Start(Mode.NEW, null);

  /** Behind what was there at this moment. */
  public static Start at(Instant moment) {
    return new Start(Mode.TIMESTAMP, moment);
  }

  /** The kinds of start. */
  public enum Mode {
    ALL,
    NEW,
    TIMESTAMP
  }
}
