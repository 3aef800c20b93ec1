package io.holdfast.memory;

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

/**
 * Streams in memory, as one process sees them. Every call is one transition under the lock of
 * {@link MemoryStreamData}, so it is safe for use by many threads.
 */
record MemoryStreams(MemoryStreamData data, Hints hints, Time time) implements StreamStore {
  @Override
  public StreamCatalog catalog() {
    return new MemoryStreamCatalog(data);
  }

  @Override
  public StreamLog log() {
    return new MemoryStreamLog(data);
  }

  @Override
  public StreamHolds holds() {
    return new MemoryStreamHolds(data);
  }

  @Override
  public StreamLeases leases() {
    return new MemoryStreamLeases(data);
  }

  @Override
  public StreamGroups groups() {
    return new MemoryStreamGroups(data);
  }

  @Override
  public StreamDeadLetters deadLetters() {
    return new MemoryStreamDeadLetters(data);
  }

  @Override
  public StreamReader reader() {
    return new MemoryStreamReader(data);
  }

  @Override
  public StreamMonitor monitor() {
    return new MemoryStreamMonitor(data);
  }

  @Override
  public StreamUpkeep upkeep() {
    return new MemoryStreamUpkeep(data);
  }
}
