package io.holdfast.postgres;

import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockException;
import java.sql.SQLException;

/** Database failures as lock failures. */
final class LockFailures {
  private LockFailures() {}

  static LockException of(String operation, SQLException e) {
    return new LockException(Statements.codeOf(e), Failures.message(operation, e), e)
        .outcomeUnknown(Statements.outcomeUnknown(e));
  }

  static Statements.Limits limits(LockCall call) {
    return Statements.Limits.of(call.cancellation(), call.callTimeout());
  }
}
