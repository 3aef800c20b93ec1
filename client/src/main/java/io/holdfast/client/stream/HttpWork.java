package io.holdfast.client.stream;

import io.holdfast.lease.Engine;
import io.holdfast.lease.Time;
import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Extended;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.StreamSettings;
import io.holdfast.stream.StreamWork;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Work behind the wire.
 *
 * <p>How long a lease can be trusted is counted from when its pop was asked for, because nobody
 * knows for how long an answer travelled. So a pop that waits is asked for again and again, each
 * time for a third of the lease at most: then at least two thirds are left when it comes.
 */
final class HttpWork implements StreamWork {
  private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final int MANY = 10_000;
  private static final int TURNS = 1_000;

  private final HttpStreams streams;
  private final StreamCalls calls;
  private final Engine engine;
  private final Map<String, Known> known = new ConcurrentHashMap<>();

  /** A queue as it was, and the partitions that messages without one take turns over. */
  private record Known(
      StreamSettings settings, List<String> partitions, AtomicInteger turn, long readNanos) {}

  HttpWork(HttpStreams streams, StreamCalls calls, Engine engine) {
    this.streams = streams;
    this.calls = calls;
    this.engine = engine;
  }

  @Override
  public Engine engine() {
    return engine;
  }

  @Override
  public void start() {
    streams.start();
  }

  private Known known(String queue) {
    Known entry = known.get(queue);
    if (entry != null && engine.time().nanos() - entry.readNanos < FRESH_NANOS) {
      return entry;
    }
    StreamSettings settings =
        streams.admin().find(queue).map(StreamInfo::settings).orElse(StreamSettings.DEFAULTS);
    List<String> partitions =
        settings.is(StreamOption.UNPARTITIONED, "spread")
            ? streams.admin().partitions(queue, null, TURNS)
            : List.of();
    AtomicInteger turn = entry == null ? new AtomicInteger() : entry.turn;
    Known read = new Known(settings, partitions, turn, engine.time().nanos());
    if (known.size() > MANY) {
      known.clear();
    }
    known.put(queue, read);
    return read;
  }

  @Override
  public Duration leaseTime(String queue) {
    return known(queue).settings.seconds(StreamOption.LEASE_TIME);
  }

  @Override
  public Turn turn(List<Ack> acks, PopRequest request) {
    StreamRules.checkAcks(acks, true);
    StreamRules.checkPop(request);
    Turn turn = new Turn(new CompletableFuture<>(), new CompletableFuture<>());
    long untilNanos = Time.after(engine.time().nanos(), request.timeout().toMillis());
    if (acks.isEmpty()) {
      turn.acked().complete(List.of());
      await(request, untilNanos, turn.popped());
      return turn;
    }
    streams
        .ackAndPop(acks, request.waiting(Duration.ZERO))
        .whenComplete(
            (both, failure) -> {
              if (both == null) {
                StreamException e = StreamCalls.asStreamException(failure);
                turn.acked().completeExceptionally(e);
                turn.popped().completeExceptionally(e);
                return;
              }
              if (both.popped().isEmpty()) {
                await(request, untilNanos, turn.popped());
              } else {
                deliver(both.popped(), turn.popped());
              }
              turn.acked().complete(both.acked()); // last: who calls the rest off now, ends it
            });
    return turn;
  }

  /** Asks until something comes or the time is over. */
  private void await(PopRequest request, long untilNanos, CompletableFuture<Popped> popped) {
    if (popped.isDone()) {
      return;
    }
    Duration left = Duration.ofNanos(Math.max(0, untilNanos - engine.time().nanos()));
    Duration lease = request.leaseFor();
    Duration third =
        lease == null || lease.dividedBy(3).compareTo(SHORTEST) < 0 ? SHORTEST : lease.dividedBy(3);
    Duration step = left.compareTo(third) < 0 ? left : third;
    CompletableFuture<Popped> asked;
    try {
      asked = streams.popAsync(request.waiting(step));
    } catch (StreamException e) {
      popped.completeExceptionally(e);
      return;
    }
    asked.whenComplete(
        (got, failure) -> {
          if (got == null) {
            popped.completeExceptionally(StreamCalls.asStreamException(failure));
          } else if (!got.isEmpty() || untilNanos - engine.time().nanos() <= 0) {
            deliver(got, popped);
          } else {
            await(request, untilNanos, popped);
          }
        });
    popped.whenComplete((got, failure) -> asked.cancel(true));
  }

  private void deliver(Popped got, CompletableFuture<Popped> popped) {
    UUID lease = got.leaseId();
    if (!popped.complete(got) && lease != null) {
      engine.background("giving back an undelivered batch", () -> giveBack(lease, null));
    }
  }

  @Override
  public CompletableFuture<Void> calledOff() {
    return streams.calledOff();
  }

  @Override
  public CompletableFuture<List<Acked>> ack(List<Ack> acks) {
    return streams.ackAsync(acks);
  }

  @Override
  public CompletableFuture<Extended> extend(UUID leaseId, Duration by) {
    return streams.extendAsync(leaseId, by);
  }

  @Override
  public void giveBack(UUID leaseId, @Nullable UUID partitionId) {
    try {
      streams.release(leaseId, partitionId);
    } catch (StreamException e) {
      if (e.error() != StreamError.LEASE_LOST) {
        throw e;
      }
    }
  }

  @Override
  public List<NewMessage> placed(List<NewMessage> messages) {
    calls.checkOpen();
    return messages.stream()
        .map(m -> m.partition() == null ? m.in(partitionFor(m.queue())) : m)
        .toList();
  }

  private String partitionFor(String queue) {
    Known entry = known(queue);
    return entry.partitions.isEmpty()
        ? StreamRules.DEFAULT_PARTITION
        : entry.partitions.get(
            Math.floorMod(entry.turn.getAndIncrement(), entry.partitions.size()));
  }

  @Override
  public CompletableFuture<List<Pushed>> push(List<NewMessage> messages) {
    return streams.pushAsync(messages, null);
  }
}
