package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What all roles of the job store share: where statements run, on which tables, and by which clock.
 * Safe for use by many threads.
 *
 * @param isOwn whether statements commit by themselves, as against inside a caller's transaction
 */
record JobKernel(JobSetup setup, StoreCaller caller, Time time, boolean isOwn) {
  /** What one call does with its connection, on tables that are ready. */
  @FunctionalInterface
  interface Work<T extends @Nullable Object> {
    T run(JobSession session) throws SQLException;
  }

  /** The same inside a caller's transaction. */
  JobKernel inside(StoreCaller callers) {
    return new JobKernel(setup, callers, time, false);
  }

  /** A statement that changes something and commits by itself. */
  <T extends @Nullable Object> T change(String operation, StoreCall call, Work<T> work) {
    return single(operation, true, call, work);
  }

  /** A statement that only looks. */
  <T extends @Nullable Object> T look(String operation, StoreCall call, Work<T> work) {
    return single(operation, false, call, work);
  }

  private <T extends @Nullable Object> T single(
      String operation, boolean mutates, StoreCall call, Work<T> work) {
    JobNames names = setup.ensure(call);
    try {
      return caller.single(operation, call, w -> work.run(new JobSession(w, names, time)));
    } catch (SQLException e) {
      throw JobFailures.of(operation, mutates, e);
    }
  }

  /** Several statements that commit together. */
  <T extends @Nullable Object> T transaction(String operation, StoreCall call, Work<T> work) {
    JobNames names = setup.ensure(call);
    try {
      return caller.transaction(operation, call, w -> work.run(new JobSession(w, names, time)));
    } catch (SQLException e) {
      throw JobFailures.of(operation, true, e);
    }
  }
}
