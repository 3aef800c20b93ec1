package io.holdfast.examples;

import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.Locks;
import io.holdfast.lock.Wait;
import io.holdfast.postgres.PostgresHoldfast;
import java.time.Duration;
import java.time.Instant;

/** Holds a lock for longer than its ttl, and stops as soon as it is lost. */
public final class RenewingLockMain {
  private static final Duration TTL = Duration.ofSeconds(3);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private RenewingLockMain() {}

  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      importFiles(holdfast.locks(), 8);
    }
  }

  private static void importFiles(Locks locks, int files) {
    // tag::renewing[]
    try (LockAttempt attempt = locks.acquire("import", TTL, Wait.upTo(PATIENCE))) {
      if (attempt instanceof Acquired lock) {
        lock.keep(reason -> System.out.println("lost: " + reason));
        for (int file = 0; file < files && lock.isHeld(); file++) {
          importFile(file, lock);
        }
      }
    }
    // end::renewing[]
  }

  private static void importFile(int file, Acquired lock) {
    // Half a second of work for each file, so that all of it takes several times the ttl.
    Instant end = Instant.now().plusMillis(500);
    while (Instant.now().isBefore(end)) {
      Thread.onSpinWait();
    }
    System.out.println("file " + file + " imported under fence " + lock.fence());
  }
}
