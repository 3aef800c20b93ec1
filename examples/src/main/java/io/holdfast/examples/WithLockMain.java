package io.holdfast.examples;

import io.holdfast.lease.Fence;
import io.holdfast.lock.Locks;
import io.holdfast.postgres.PostgresHoldfast;

/** Runs something in one process at a time. */
public final class WithLockMain {
  private WithLockMain() {}

  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.of(args)) {
      String fence = report(database.url());
      System.out.println("reported under fence " + fence);
    }
  }

  private static String report(String url) {
    // tag::with-lock[]
    try (PostgresHoldfast holdfast = PostgresHoldfast.open(url)) {
      Locks locks = holdfast.locks();
      return locks.withLock("nightly-report", lock -> writeReport(lock.fence()));
    }
    // end::with-lock[]
  }

  private static String writeReport(Fence fence) {
    System.out.println("writing the report");
    return fence.text();
  }
}
