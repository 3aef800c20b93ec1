package io.holdfast.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

class TroubleTest {
  private final Heard log = new Heard();
  private final Trouble trouble = new Trouble(log, "sweeping");

  private static HoldfastException away(String message) {
    return new HoldfastException(ErrorCode.SERVICE_UNAVAILABLE, message, null);
  }

  @Test
  void a_failure_that_lasts_is_told_once_and_its_end_too() {
    trouble.worked();
    trouble.failed(away("no answer after 1001 ms"));
    trouble.failed(away("no answer after 1002 ms"));
    trouble.worked();
    trouble.worked();
    trouble.failed(away("gone again"));

    assertThat(log.lines)
        .containsExactly(
            "WARN sweeping failed and is repeated: no answer after 1001 ms",
            "INFO sweeping works again",
            "WARN sweeping failed and is repeated: gone again");
  }

  @Test
  void another_failure_is_told_and_where_if_nobody_expects_it() {
    trouble.failed(away("no answer"));
    trouble.failed(new IllegalStateException("a defect"));
    trouble.failed(new HoldfastException(ErrorCode.INTERNAL, "one more", null));
    trouble.failed(new HoldfastException(ErrorCode.INTERNAL, "and another", null));

    assertThat(log.lines)
        .containsExactly(
            "WARN sweeping failed and is repeated: no answer",
            "WARN sweeping failed and is repeated: a defect java.lang.IllegalStateException",
            "WARN sweeping failed and is repeated: one more io.holdfast.HoldfastException",
            "WARN sweeping failed and is repeated: and another io.holdfast.HoldfastException");
  }

  /** Keeps what is logged. */
  private static final class Heard extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1;

    private final transient List<String> lines = new ArrayList<>();

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String pattern,
        Object @Nullable [] arguments,
        @Nullable Throwable failure) {
      String text = MessageFormatter.basicArrayFormat(pattern, arguments);
      lines.add(level + " " + text + (failure == null ? "" : " " + failure.getClass().getName()));
    }

    @Override
    public boolean isTraceEnabled() {
      return false;
    }

    @Override
    public boolean isDebugEnabled() {
      return false;
    }

    @Override
    public boolean isInfoEnabled() {
      return true;
    }

    @Override
    public boolean isWarnEnabled() {
      return true;
    }

    @Override
    public boolean isErrorEnabled() {
      return true;
    }
  }
}
