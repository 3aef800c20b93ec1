package io.holdfast.stream;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Duty;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.List;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One of the store's background duties: steps until nothing is left, then pauses. */
final class Upkeep implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

  /** Groups wait for their cursors: what pops have not made is not left for long. */
  private static final Duration SEEDING = Duration.ofSeconds(5);

  private final String name;
  private final ToIntFunction<StoreCall> step;
  private final StreamEngine streams;
  private final Duration every;
  private long dueNanos;

  private Upkeep(String name, ToIntFunction<StoreCall> step, StreamEngine streams, Duration every) {
    this.name = name;
    this.step = step;
    this.streams = streams;
    this.every = every;
    this.dueNanos = next();
  }

  /** Retention, seeding, storing what was held, counting and purging. */
  static List<Upkeep> duties(StreamEngine streams) {
    StreamUpkeep upkeep = streams.store.upkeep();
    int days = streams.options.partitionIdleDays();
    Duration every = streams.options.upkeep();
    Duration soon = every.compareTo(SEEDING) < 0 ? every : SEEDING;
    return List.of(
        new Upkeep("retention", upkeep::retain, streams, every),
        new Upkeep("seeding", upkeep::seed, streams, soon),
        new Upkeep("storing what was held", streams::drain, streams, soon),
        new Upkeep("counting", upkeep::count, streams, every),
        new Upkeep("purging", call -> upkeep.purge(days, call), streams, every));
  }

  private long next() {
    return Time.after(streams.time.nanos(), every.toMillis());
  }

  @Override
  public int work() {
    int done = 0;
    try {
      done = streams.call(() -> step.applyAsInt(streams.storeCall()));
    } catch (StreamException e) {
      if (e.code() != ErrorCode.CLOSED) {
        LOG.warn("{} failed and is repeated later: {}", name, e.getMessage());
      }
    }
    if (done == 0) {
      dueNanos = next();
    }
    return done;
  }

  @Override
  public long dueNanos() {
    return dueNanos;
  }
}
