package io.holdfast.cli;

import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Settlement;
import io.holdfast.lock.Acquired;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Verdict;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** What a caller of a benchmark does again and again, each operation timed. */
interface Load extends AutoCloseable {
  String NAME = "holdfast-bench";
  Duration WAIT = Duration.ofSeconds(5);
  Duration LEASE = Duration.ofMinutes(1);
  String PAYLOAD = "{\"benchmark\":\"" + "x".repeat(100) + "\"}";

  /** One turn of one caller. */
  void turn(int caller, Timed timed);

  @Override
  void close();

  /** Times an operation. */
  interface Timed {
    <T> T run(String operation, java.util.function.Supplier<T> call);
  }

  /** The load of this name. */
  static Optional<Load> of(String subject, Capabilities on, int batch) {
    return switch (subject) {
      case "queue" -> Optional.of(queue(on, batch));
      case "stream" -> Optional.of(stream(on, batch));
      case "job" -> Optional.of(job(on, batch));
      case "lock" -> Optional.of(lock(on));
      default -> Optional.empty();
    };
  }

  private static Load queue(Capabilities on, int batch) {
    String name = NAME + "-" + Long.toString(System.nanoTime(), 36);
    on.queues().create(NewQueue.named(name));
    Queue queue = on.queues().queue(name);
    List<NewItem> items = Collections.nCopies(batch, NewItem.text(PAYLOAD));
    return load(
        (caller, timed) -> {
          timed.run("produce", () -> queue.produce(items, WAIT));
          LeasedItems leased =
              timed.run("lease", () -> queue.lease(new LeaseRequest("c" + caller, batch, WAIT)));
          if (!leased.items().isEmpty()) {
            timed.run(
                "complete",
                () -> {
                  queue.complete(leased);
                  return true;
                });
          }
        },
        () -> on.queues().delete(name, true));
  }

  private static Load stream(Capabilities on, int batch) {
    String name = NAME + "-" + Long.toString(System.nanoTime(), 36);
    return load(
        (caller, timed) -> {
          NewMessage message = NewMessage.to(name, PAYLOAD).in("p" + caller);
          timed.run("push", () -> on.streams().push(Collections.nCopies(batch, message)));
          Popped popped =
              timed.run("pop", () -> on.streams().pop(PopRequest.of(name).batch(batch)));
          if (!popped.batches().isEmpty()) {
            timed.run("ack", () -> on.streams().ack(popped.ackAll(Verdict.COMPLETED)));
          }
        },
        () -> on.streams().delete(name));
  }

  private static Load job(Capabilities on, int batch) {
    String name = NAME + "-" + Long.toString(System.nanoTime(), 36);
    return load(
        (caller, timed) -> {
          NewJob job = NewJob.of("bench").queue(name).payload(PAYLOAD);
          timed.run("enqueue", () -> on.jobs().enqueue(Collections.nCopies(batch, job)));
          List<LeasedJob> reserved = timed.run("reserve", () -> reserve(on, name, batch));
          if (!reserved.isEmpty()) {
            timed.run("ack", () -> on.jobs().settle(acks(reserved)));
          }
        },
        () -> finish(on, name, batch));
  }

  private static List<LeasedJob> reserve(Capabilities on, String queue, int batch) {
    return on.jobs().reserve(ReserveRequest.of(queue, batch).leaseFor(LEASE)).jobs();
  }

  private static List<Settlement.Ack> acks(List<LeasedJob> jobs) {
    return jobs.stream().map(leased -> Settlement.Ack.of(leased.held())).toList();
  }

  /** Jobs that wait are kept for ever, finished ones are not. */
  private static void finish(Capabilities on, String queue, int batch) {
    List<LeasedJob> left = reserve(on, queue, batch);
    while (!left.isEmpty()) {
      on.jobs().settle(acks(left));
      left = reserve(on, queue, batch);
    }
  }

  private static Load lock(Capabilities on) {
    return load(
        (caller, timed) -> {
          String key = NAME + "/" + caller;
          var attempt = timed.run("acquire", () -> on.locks().acquire(key, LEASE));
          if (attempt instanceof Acquired lock) {
            timed.run("release", () -> on.locks().release(lock.lockId()));
          }
        },
        () -> {});
  }

  private static Load load(Turn turn, Runnable end) {
    return new Load() {
      @Override
      public void turn(int caller, Timed timed) {
        turn.make(caller, timed);
      }

      @Override
      public void close() {
        end.run();
      }
    };
  }

  /** The body of {@link #turn}. */
  interface Turn {
    void make(int caller, Timed timed);
  }
}
