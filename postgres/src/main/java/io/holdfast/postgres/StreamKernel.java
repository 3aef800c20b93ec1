package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What all roles of the stream store share: where statements run, in which schema, and by which
 * clock. Safe for use by many threads.
 *
 * @param isOwn whether statements commit by themselves, as against inside a caller's transaction
 */
record StreamKernel(
    String schema, StreamSetup setup, StoreCaller caller, Time time, boolean isOwn) {
  /** The statement with this kernel's schema in place of {@code holdfast.}. */
  String sql(String statement) {
    return StreamSetup.in(schema, statement);
  }

  /** The same inside a caller's transaction. */
  StreamKernel inside(StoreCaller callers) {
    return new StreamKernel(schema, setup, callers, time, false);
  }

  /** A statement that changes something and commits by itself. */
  <T extends @Nullable Object> T change(String operation, StoreCall call, SqlWork<T> work) {
    return single(operation, true, call, work);
  }

  /** A statement that only looks. */
  <T extends @Nullable Object> T look(String operation, StoreCall call, SqlWork<T> work) {
    return single(operation, false, call, work);
  }

  private <T extends @Nullable Object> T single(
      String operation, boolean mutates, StoreCall call, SqlWork<T> work) {
    setup.ensure(call);
    try {
      return caller.single(operation, call, work);
    } catch (SQLException e) {
      throw StreamFailures.of(operation, mutates, e);
    }
  }

  /** Several statements that commit together. */
  <T extends @Nullable Object> T transaction(String operation, StoreCall call, SqlWork<T> work) {
    setup.ensure(call);
    try {
      return caller.transaction(operation, call, work);
    } catch (SQLException e) {
      throw StreamFailures.of(operation, true, e);
    }
  }
}
