package io.holdfast.queue;

import io.holdfast.lease.Duty;
import io.holdfast.lease.Time;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tries failed partitions, less and less often, until they work again. */
final class Recovery implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LAST_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final double GROWTH = 1.5;
  private static final double JITTER = 0.2;

  private final QueueEngine engine;
  private final Time time;
  private final Map<LivePartition, Patient> patients = new ConcurrentHashMap<>();

  Recovery(QueueEngine engine) {
    this.engine = engine;
    this.time = engine.time;
  }

  /** A failed partition and when it is tried next. */
  private record Patient(LiveQueue queue, long tryNanos, long pauseNanos) {}

  void watch(LiveQueue queue, LivePartition partition, QueueException failure) {
    if (patients.putIfAbsent(partition, after(queue, FIRST_NANOS)) == null) {
      LOG.warn(
          "partition {} of queue '{}' fails: {}",
          partition.number,
          queue.name(),
          failure.getMessage());
    }
    engine.wake(this);
  }

  private Patient after(LiveQueue queue, long pauseNanos) {
    double factor = 1 + ThreadLocalRandom.current().nextDouble(-JITTER, JITTER);
    return new Patient(queue, time.nanos() + (long) (pauseNanos * factor), pauseNanos);
  }

  @Override
  public int work() {
    int tried = 0;
    for (Map.Entry<LivePartition, Patient> entry : patients.entrySet()) {
      if (entry.getValue().tryNanos() - time.nanos() <= 0) {
        probe(entry.getKey(), entry.getValue());
        tried++;
      }
    }
    return tried;
  }

  private void probe(LivePartition partition, Patient patient) {
    if (patient.queue().isClosed()) {
      patients.remove(partition);
      return;
    }
    try {
      engine.call(
          () -> engine.backend.partitions().probe(List.of(partition.store), engine.storeCall()));
    } catch (RuntimeException e) {
      LOG.debug("a partition still fails: {}", e.getMessage());
      long pause = Math.min(LAST_NANOS, (long) (patient.pauseNanos() * GROWTH));
      patients.put(partition, after(patient.queue(), pause));
      return;
    }
    patients.remove(partition);
    LOG.info("partition {} of queue '{}' works again", partition.number, patient.queue().name());
    patient.queue().recovered(partition);
  }

  @Override
  public long dueNanos() {
    long now = time.nanos();
    return now
        + patients.values().stream()
            .mapToLong(patient -> patient.tryNanos() - now)
            .min()
            .orElse(TimeUnit.HOURS.toNanos(1));
  }
}
