package io.holdfast.postgres;

import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;
import io.holdfast.stream.StreamCatalog;
import io.holdfast.stream.StreamDeadLetters;
import io.holdfast.stream.StreamGroups;
import io.holdfast.stream.StreamHolds;
import io.holdfast.stream.StreamLeases;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.StreamMonitor;
import io.holdfast.stream.StreamReader;
import io.holdfast.stream.StreamStore;
import io.holdfast.stream.StreamUpkeep;
import java.util.function.IntConsumer;

/** The stream part of the PostgreSQL store: joins its roles. Safe for use by many threads. */
final class PostgresStreamStore implements StreamStore {
  /** The tables whose plans depend on how large they are. */
  static final String GROWING =
      "holdfast.stream_message, holdfast.stream_partition, holdfast.stream_cursor,"
          + " holdfast.stream_queue, holdfast.stream_subscription";

  private final StreamCatalog catalog;
  private final StreamLog log;
  private final StreamHolds holds;
  private final StreamLeases leases;
  private final StreamGroups groups;
  private final StreamDeadLetters deadLetters;
  private final StreamReader reader;
  private final StreamMonitor monitor;
  private final StreamUpkeep upkeep;
  private final Hints hints;
  private final Time time;

  PostgresStreamStore(StreamKernel kernel, Hints hints, IntConsumer appended) {
    this.catalog = new PostgresStreamCatalog(kernel);
    this.log = new PostgresStreamLog(kernel, kernel, appended);
    this.holds = new PostgresStreamHolds(kernel);
    this.leases = new PostgresStreamLeases(kernel);
    this.groups = new PostgresStreamGroups(kernel);
    this.deadLetters = new PostgresStreamDeadLetters(kernel);
    this.reader = new PostgresStreamReader(kernel);
    this.monitor = new PostgresStreamMonitor(kernel);
    this.upkeep = new PostgresStreamUpkeep(kernel);
    this.hints = hints;
    this.time = kernel.time();
  }

  @Override
  public StreamCatalog catalog() {
    return catalog;
  }

  @Override
  public StreamLog log() {
    return log;
  }

  @Override
  public StreamHolds holds() {
    return holds;
  }

  @Override
  public StreamLeases leases() {
    return leases;
  }

  @Override
  public StreamGroups groups() {
    return groups;
  }

  @Override
  public StreamDeadLetters deadLetters() {
    return deadLetters;
  }

  @Override
  public StreamReader reader() {
    return reader;
  }

  @Override
  public StreamMonitor monitor() {
    return monitor;
  }

  @Override
  public StreamUpkeep upkeep() {
    return upkeep;
  }

  @Override
  public Hints hints() {
    return hints;
  }

  @Override
  public Time time() {
    return time;
  }
}
