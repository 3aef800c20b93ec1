package io.holdfast.stream;

import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;

/** Everything {@link Streams} need of one store. Safe for use by many threads. */
public interface StreamStore {
  /** Queues. */
  StreamCatalog catalog();

  /** Appending. */
  StreamLog log();

  /** Pushes that are put by. */
  StreamHolds holds();

  /** Claiming and settling. */
  StreamLeases leases();

  /** Consumer groups. */
  StreamGroups groups();

  /** Messages that were given up. */
  StreamDeadLetters deadLetters();

  /** Looking at messages. */
  StreamReader reader();

  /** Looking at how it goes. */
  StreamMonitor monitor();

  /** Work in the background. */
  StreamUpkeep upkeep();

  /** How processes tell each other to look. */
  Hints hints();

  /** The clock. */
  Time time();
}
