package io.holdfast.stream;

import io.holdfast.lease.Engine;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What consumers and producers stand on: streams in this process, or behind a wire. Futures fail
 * with {@link StreamException}. Safe for use by many threads.
 */
public interface StreamWork {
  /** Its clock, timers and threads. */
  Engine engine();

  /** Begins what has to run for it; fails when it is closed. */
  void start();

  /** How long leases of a queue last if nobody says otherwise; may ask. */
  Duration leaseTime(String queue);

  /** Settles, and takes the next; waits for it as long as the request says. */
  Turn turn(List<Ack> acks, PopRequest request);

  /** Done when pops that were cancelled before can take nothing any more, and hold nothing. */
  CompletableFuture<Void> calledOff();

  /** Settles. May block. */
  CompletableFuture<List<Acked>> ack(List<Ack> acks);

  /** Makes a lease last longer; {@link Extended#LOST} if it holds nothing. */
  CompletableFuture<Extended> extend(UUID leaseId, Duration by);

  /** Returns what is unsettled of a partition, or with null of all, if the lease still holds it. */
  void giveBack(UUID leaseId, @Nullable UUID partitionId);

  /** The messages with a partition for each that is not to be placed twice. */
  List<NewMessage> placed(List<NewMessage> messages);

  /** Appends. */
  CompletableFuture<List<Pushed>> push(List<NewMessage> messages);

  /**
   * What became of verdicts, and what came next.
   *
   * @param popped may take as long as its request waits; cancelling it ends the wait
   */
  record Turn(CompletableFuture<List<Acked>> acked, CompletableFuture<Popped> popped) {}
}
