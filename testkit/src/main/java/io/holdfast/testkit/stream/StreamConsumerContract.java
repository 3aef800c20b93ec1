package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.ConsumerOptions;
import io.holdfast.stream.Handling;
import io.holdfast.stream.MessageHandler;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Position;
import io.holdfast.stream.StreamConsumer;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** How a consumer holds its partitions: one handler at a time, and only as long as the lease. */
public abstract class StreamConsumerContract extends StreamOperatorSuite {
  private static final ConsumerOptions CONSUME = ConsumerOptions.DEFAULTS;

  /** Waits in a handler until told, and says how that ended. */
  private static final class Obstacle {
    final BlockingQueue<Handling> reached = new LinkedBlockingQueue<>();
    final CountDownLatch removed = new CountDownLatch(1);
    final BlockingQueue<Handling> interrupted = new LinkedBlockingQueue<>();

    void pass(Handling handling) throws InterruptedException {
      reached.add(handling);
      try {
        removed.await();
      } catch (InterruptedException e) {
        interrupted.add(handling);
        throw e;
      }
    }

    static Handling next(BlockingQueue<Handling> queue) throws InterruptedException {
      Handling handling = queue.poll(20, TimeUnit.SECONDS);
      if (handling == null) {
        throw new AssertionError("the handler did not get there");
      }
      return handling;
    }
  }

  private StreamConsumer consume(MessageHandler handler, ConsumerOptions options) {
    return streams.consume(QUEUE, GROUP, handler, options);
  }

  /** Counts how many handlers are at work in each partition, and what they get in which order. */
  private static final class Watch implements MessageHandler {
    final Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();
    final Map<String, List<String>> order = new ConcurrentHashMap<>();
    final List<String> overlaps = new CopyOnWriteArrayList<>();
    final AtomicInteger handled = new AtomicInteger();

    @Override
    public void handle(Handling handling) {
      String partition = handling.message().place().partition();
      AtomicInteger here = inside.computeIfAbsent(partition, p -> new AtomicInteger());
      if (here.incrementAndGet() != 1) {
        overlaps.add(partition);
      }
      order
          .computeIfAbsent(partition, p -> new CopyOnWriteArrayList<>())
          .add(handling.message().payload().text());
      Thread.yield();
      here.decrementAndGet();
      handled.incrementAndGet();
    }
  }

  @Test
  @Guarantee("S109")
  void handlers_of_a_partition_never_overlap() {
    streams.configure(config().leaseFor(Duration.ofDays(1)));
    Watch watch = new Watch();
    ConsumerOptions many = CONSUME.withConcurrency(8).withBatch(3);
    try (StreamConsumer one = consume(watch, many);
        StreamConsumer two = process().consume(QUEUE, GROUP, watch, many)) {
      for (int round = 0; round < 10; round++) {
        for (int p = 0; p < 5; p++) {
          List<NewMessage> all = numbered("p" + p, 40);
          streams.push(all.subList(4 * round, 4 * round + 4));
        }
      }
      // On PostgreSQL who meets a push at work looks again after a moment.
      ticking(() -> watch.handled.get() >= 200);
      assertThat(one).isNotSameAs(two);
    }

    assertThat(watch.overlaps).isEmpty();
    assertThat(watch.order).hasSize(5);
    watch.order.forEach(
        (partition, texts) ->
            assertThat(texts)
                .containsExactlyElementsOf(
                    numbered(partition, 40).stream().map(m -> m.payload().text()).toList()));
    assertThat(passed()).isEqualTo(200);
  }

  @Test
  @Guarantee("S109")
  void partitions_are_handled_at_once_up_to_the_concurrency() throws Exception {
    streams.configure(config());
    push("p", "a");
    push("q", "b");
    push("r", "c");
    Obstacle obstacle = new Obstacle();
    try (StreamConsumer consumer = consume(obstacle::pass, CONSUME.withConcurrency(2))) {
      Handling first = Obstacle.next(obstacle.reached);
      Handling second = Obstacle.next(obstacle.reached);

      settle();
      assertThat(obstacle.reached).isEmpty();
      assertThat(streams.browser().leases(QUEUE)).hasSize(2);
      assertThat(first.message().place().partition())
          .isNotEqualTo(second.message().place().partition());
      obstacle.removed.countDown();
      stepping(() -> passed() == 3);
      assertThat(consumer).isNotNull();
    }
  }

  @Test
  @Guarantee("S110")
  void auto_renew_keeps_a_slow_handlers_lease() throws Exception {
    streams.configure(config());
    push("p", "a");
    Obstacle obstacle = new Obstacle();
    try (StreamConsumer consumer = consume(obstacle::pass, CONSUME)) {
      Handling handling = Obstacle.next(obstacle.reached);

      for (int i = 0; i < 6; i++) {
        time.advance(Duration.ofSeconds(4));
        eventually(() -> isHeldUntilLeaseFromNow());
        assertThat(pop(1).isEmpty()).isTrue();
      }

      assertThat(handling.isHeld()).isTrue();
      obstacle.removed.countDown();
      stepping(() -> passed() == 1);
      assertThat(consumer.stats().messages()).isEqualTo(1);
    }
    assertThat(obstacle.reached).isEmpty();
  }

  private boolean isHeldUntilLeaseFromNow() {
    List<ActiveLease> leases = streams.browser().leases(QUEUE);
    return leases.size() == 1 && leases.get(0).expiresAt().equals(instant().plus(LEASE));
  }

  @Test
  @Guarantee("S110")
  void without_renewal_the_lease_ends_and_what_was_done_counts_for_nothing() throws Exception {
    streams.configure(config());
    push("p", "a");
    Obstacle obstacle = new Obstacle();
    try (StreamConsumer consumer = consume(obstacle::pass, CONSUME.withRenewing(false))) {
      Handling late = Obstacle.next(obstacle.reached);

      time.advance(LEASE);
      Popped next = pop(1);
      obstacle.removed.countDown();

      assertThat(texts(next)).containsExactly("a");
      assertThat(late.isHeld()).isFalse();
      eventually(() -> consumer.stats().messages() == 1);
      assertThat(passed()).isZero();
      assertThat(fence(next)).isGreaterThan(late.fence());
    }
  }

  @Test
  @Guarantee("S111")
  void a_lost_lease_interrupts_the_handler() throws Exception {
    assertThatLosingInterrupts(() -> streams.admin().revoke(cursor("p"), null));
  }

  @Test
  @Guarantee("S111")
  void a_seek_interrupts_the_handler() throws Exception {
    assertThatLosingInterrupts(() -> streams.admin().seek(QUEUE, GROUP, null, Position.BEGIN));
  }

  @Test
  @Guarantee("S111")
  void a_deleted_group_interrupts_its_handlers() throws Exception {
    assertThatLosingInterrupts(() -> streams.admin().deleteGroup(GROUP, QUEUE, false));
  }

  private void assertThatLosingInterrupts(Runnable loss) throws Exception {
    streams.configure(config());
    push("p", "a");
    Obstacle obstacle = new Obstacle();
    List<Handling> again = new CopyOnWriteArrayList<>();
    AtomicInteger calls = new AtomicInteger();
    MessageHandler handler =
        handling -> {
          if (calls.incrementAndGet() == 1) {
            obstacle.pass(handling);
          }
          again.add(handling);
        };
    try (StreamConsumer consumer = consume(handler, CONSUME)) {
      Handling first = Obstacle.next(obstacle.reached);

      loss.run();
      time.advance(Duration.ofSeconds(4));

      assertThat(Obstacle.next(obstacle.interrupted)).isSameAs(first);
      assertThat(first.isHeld()).isFalse();
      stepping(() -> passed() == 1);
      assertThat(again).hasSize(1);
      assertThat(again.get(0).fence()).isGreaterThan(first.fence());
      assertThat(consumer).isNotNull();
    }
  }

  @Test
  @Guarantee("S111")
  void the_rest_of_a_lost_batch_is_not_handled() throws Exception {
    streams.configure(config());
    push("p", "a", "b");
    Obstacle obstacle = new Obstacle();
    List<String> handled = new CopyOnWriteArrayList<>();
    MessageHandler deaf =
        handling -> {
          handled.add(handling.message().payload().text());
          if (handled.size() == 1) {
            try {
              obstacle.pass(handling);
            } catch (InterruptedException e) {
              // as code does that takes no notice
            }
          }
        };
    try (StreamConsumer consumer = consume(deaf, CONSUME)) {
      Obstacle.next(obstacle.reached);

      streams.admin().revoke(cursor("p"), null);
      Popped next = pop(2);
      time.advance(Duration.ofSeconds(4));
      Obstacle.next(obstacle.interrupted);

      eventually(() -> consumer.stats().pops() == 1);
      assertThat(handled).containsExactly("a");
      assertThat(texts(next)).containsExactly("a", "b");
      assertThat(passed()).isZero();
    }
  }

  @Test
  @Guarantee("S112")
  void stop_returns_unstarted_messages_at_once() throws Exception {
    streams.configure(config());
    push("p", "a", "b", "c");
    Obstacle obstacle = new Obstacle();
    StreamConsumer consumer = consume(obstacle::pass, CONSUME);
    Obstacle.next(obstacle.reached);

    CompletableFuture<Boolean> closed = closing(consumer);
    assertThat(closed).isNotDone();
    obstacle.removed.countDown();
    now(closed);

    assertThat(obstacle.reached).isEmpty();
    assertThat(passed()).isEqualTo(1);
    Popped rest = pop(5);
    assertThat(texts(rest)).containsExactly("b", "c");
    assertThat(attempts(rest)).containsExactly(1, 1);
  }

  /** Closes on another thread; returns once that waits for the handlers. */
  private CompletableFuture<Boolean> closing(StreamConsumer consumer) {
    AtomicReference<Thread> closer = new AtomicReference<>(Thread.currentThread());
    CompletableFuture<Boolean> closed =
        CompletableFuture.supplyAsync(
            () -> {
              closer.set(Thread.currentThread());
              consumer.close();
              return true;
            },
            crew);
    eventually(() -> closed.isDone() || closer.get().getState() == Thread.State.TIMED_WAITING);
    return closed;
  }

  @Test
  @Guarantee("S112")
  void a_stopped_consumer_claims_nothing_more() {
    streams.configure(config());
    Watch watch = new Watch();
    StreamConsumer consumer = consume(watch, CONSUME.withConcurrency(3));
    push("p", "a");
    stepping(() -> watch.handled.get() == 1);

    consumer.close();
    consumer.close();
    push("p", "b");
    settle();

    assertThat(texts(pop(5))).containsExactly("b");
    assertThat(watch.handled).hasValue(1);
  }

  @Test
  @Guarantee("S112")
  void closing_the_streams_stops_their_consumers() throws Exception {
    streams.configure(config());
    push("p", "a", "b");
    Obstacle obstacle = new Obstacle();
    var there = process();
    there.consume(QUEUE, GROUP, obstacle::pass, CONSUME);
    Obstacle.next(obstacle.reached);
    obstacle.removed.countDown();

    there.close();

    assertThat(streams.browser().leases(QUEUE)).isEmpty();
    assertThat(passed()).isBetween(1L, 2L);
  }
}
