package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.ConsumeOptions;
import io.holdfast.queue.Delivery;
import io.holdfast.queue.ItemHandler;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueConsumer;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.RetryPolicy;
import io.holdfast.queue.StoredItem;
import io.holdfast.queue.UnrecoverableItemException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What a consumer does for its handler. */
public abstract class ConsumerContract extends QueueSuite {
  private static final ConsumeOptions CONSUME =
      ConsumeOptions.DEFAULTS.withRetry(RetryPolicy.immediate());

  /** Hands over what the handler was given, in its order. */
  private static final class Handled implements ItemHandler {
    final BlockingQueue<String> texts = new LinkedBlockingQueue<>();

    @Override
    public void handle(Delivery delivery) {
      texts.add(delivery.item().text());
    }

    String next() throws InterruptedException {
      String text = texts.poll(20, TimeUnit.SECONDS);
      return text == null ? "(nothing)" : text;
    }
  }

  private void await(String what, BooleanSupplier condition) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - until).as(what).isNegative();
      settle();
      LockSupport.parkNanos(100_000);
    }
  }

  private static long total(Queue queue) {
    return queue.admin().stats().partitions().stream()
        .mapToLong(p -> p.counts().total() + p.counts().scheduled())
        .sum();
  }

  @Test
  void items_are_handled_in_order_and_completed() throws Exception {
    Queue queue = create(named("work"));
    Handled handled = new Handled();
    try (QueueConsumer consumer = queue.consume(handled, CONSUME)) {
      produce(queue, "a", "b", "c");

      assertThat(List.of(handled.next(), handled.next(), handled.next()))
          .containsExactly("a", "b", "c");
      await("all are completed", () -> total(queue) == 0);
      assertThat(consumer).isNotNull();
    }
  }

  @Test
  void every_item_is_handled_once_whatever_the_concurrency() {
    Queue queue = create(named("busy").partitions(3));
    Set<String> seen = ConcurrentHashMap.newKeySet();
    AtomicInteger twice = new AtomicInteger();
    ItemHandler handler =
        delivery -> {
          if (!seen.add(delivery.item().text())) {
            twice.incrementAndGet();
          }
        };
    ConsumeOptions many = CONSUME.withConcurrency(8).withPrefetch(50);
    try (QueueConsumer one = queue.consume(handler, many);
        QueueConsumer two = process().queue("busy").consume(handler, many)) {
      for (int batch = 0; batch < 20; batch++) {
        List<NewItem> items = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
          items.add(NewItem.text(batch + "." + i));
        }
        queue.produce(items, PATIENCE);
      }

      await("all are completed", () -> total(queue) == 0);
      assertThat(one).isNotSameAs(two);
    }
    assertThat(seen).hasSize(500);
    assertThat(twice).hasValue(0);
  }

  @Test
  void a_failed_item_comes_again_at_the_tail() throws Exception {
    Queue queue = create(named("flaky"));
    Handled handled = new Handled();
    ItemHandler failingFirst =
        delivery -> {
          handled.handle(delivery);
          if (delivery.item().attempts() == 1 && delivery.item().text().equals("a")) {
            throw new IllegalStateException("planned");
          }
        };
    produce(queue, "a", "b");
    try (QueueConsumer consumer = queue.consume(failingFirst, CONSUME.withPrefetch(0))) {
      assertThat(handled.next()).isEqualTo("a");
      assertThat(List.of(handled.next(), handled.next())).containsExactly("b", "a");
      await("all are completed", () -> total(queue) == 0);
      assertThat(consumer).isNotNull();
    }
  }

  @Test
  void a_failed_item_waits_as_long_as_the_policy_says() throws Exception {
    Queue queue = create(named("patient"));
    Handled handled = new Handled();
    ItemHandler failingFirst =
        delivery -> {
          handled.handle(delivery);
          if (delivery.item().attempts() == 1) {
            throw new IllegalStateException("planned");
          }
        };
    RetryPolicy later = RetryPolicy.doubling(Duration.ofSeconds(5), Duration.ofMinutes(1));
    produce(queue, "a");
    try (QueueConsumer consumer = queue.consume(failingFirst, CONSUME.withRetry(later))) {
      assertThat(handled.next()).isEqualTo("a");
      await("it is scheduled", () -> !queue.admin().listScheduled(0, "", 0).isEmpty());
      StoredItem scheduled = queue.admin().listScheduled(0, "", 0).get(0);
      assertThat(scheduled.times().enqueueAt())
          .isEqualTo(Instant.ofEpochMilli(time.nowMs() + 5000));

      pass(Duration.ofMillis(4999));
      assertThat(handled.texts).isEmpty();
      pass(Duration.ofMillis(1));
      assertThat(handled.next()).isEqualTo("a");
      await("it is completed", () -> total(queue) == 0);
      assertThat(consumer).isNotNull();
    }
  }

  @Test
  void an_unrecoverable_item_goes_to_the_dead_queue() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("poisoned").deadQueue("dead"));
    produce(queue, "poison");
    try (QueueConsumer consumer =
        queue.consume(
            delivery -> {
              throw new UnrecoverableItemException("planned");
            },
            CONSUME)) {
      await("it is dead", () -> total(dead) == 1);
      assertThat(consumer).isNotNull();
    }
    assertThat(dead.admin().list(0, "", 0).get(0).origin().deadReason()).isEqualTo("dead");
    assertThat(total(queue)).isZero();
  }

  @Test
  void stopping_hands_back_what_was_not_started_without_counting_an_attempt() throws Exception {
    Queue queue = create(named("stopping"));
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    produce(queue, "a", "b", "c");
    QueueConsumer consumer =
        queue.consume(
            delivery -> {
              started.countDown();
              goOn.await();
            },
            CONSUME);
    started.await();
    goOn.countDown();

    var closing = crew.submit(consumer::close);
    closing.get(20, TimeUnit.SECONDS);
    await(
        "nothing is leased",
        () -> queue.admin().list(0, "", 0).stream().noneMatch(i -> i.isLeased()));

    assertThat(queue.admin().list(0, "", 0)).allMatch(item -> item.attempts() == 0);
  }

  @Test
  void an_item_is_renewed_while_its_handler_works() throws Exception {
    Queue queue = create(named("slow"));
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger tries = new AtomicInteger();
    produce(queue, "a");
    try (QueueConsumer consumer =
        queue.consume(
            delivery -> {
              tries.incrementAndGet();
              started.countDown();
              goOn.await();
            },
            CONSUME)) {
      started.await();
      for (int i = 0; i < 6; i++) {
        var before = queue.admin().list(0, "", 0).get(0).times().leaseDeadline();
        pass(Duration.ofSeconds(4)); // short enough for a keeper that is one renewal behind
        await(
            "it is renewed",
            () ->
                !Objects.equals(
                    before, queue.admin().list(0, "", 0).get(0).times().leaseDeadline()));
      }
      goOn.countDown();
      await("it is completed", () -> total(queue) == 0);
      assertThat(consumer).isNotNull();
    }
    assertThat(tries).hasValue(1);
  }

  @Test
  void a_handler_whose_lease_is_taken_away_is_interrupted() throws Exception {
    Queue queue = create(named("stolen"));
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    produce(queue, "a");
    try (QueueConsumer consumer =
        queue.consume(
            delivery -> {
              started.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
            },
            CONSUME)) {
      started.await();
      queue.admin().deleteItems(0, List.of(queue.admin().list(0, "", 0).get(0).id()));
      pass(LEASE.dividedBy(2));

      assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(consumer).isNotNull();
    }
  }

  @Test
  void closing_the_service_stops_its_consumers_first() throws Exception {
    Queue queue = create(named("closing"));
    produce(queue, "a");
    Handled handled = new Handled();
    var other = process();
    QueueConsumer consumer = other.queue("closing").consume(handled, CONSUME);
    assertThat(handled.next()).isEqualTo("a");

    other.close();

    assertThat(total(queue)).isZero();
    consumer.close();
    failing(QueueException.Kind.FAILED, () -> other.queue("closing").produce(NewItem.text("b")));
  }

  @Test
  void unreasonable_options_are_refused() {
    failing(QueueException.Kind.INVALID, () -> CONSUME.withConcurrency(0));
    failing(QueueException.Kind.INVALID, () -> CONSUME.withPrefetch(-1));
    failing(QueueException.Kind.INVALID, () -> CONSUME.withPrefetch(1001));
  }
}
