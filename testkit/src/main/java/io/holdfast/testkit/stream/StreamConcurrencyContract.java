package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Acked;
import io.holdfast.stream.Message;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Pushed.Status;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamOptions;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds when threads of several processes do things at the same time. */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class StreamConcurrencyContract extends StreamSuite {
  private static final int WORKERS = 8;

  private Streams there;

  @BeforeEach
  void openAnother() {
    there = process();
  }

  private Streams either(int i) {
    return i % 2 == 0 ? streams : there;
  }

  /** Does something in so many threads, all at once; answers what each brought. */
  private <T> List<T> atOnce(int threads, IntFunction<Callable<T>> work) {
    CyclicBarrier start = new CyclicBarrier(threads);
    List<CompletableFuture<T>> futures = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Callable<T> mine = work.apply(i);
      CompletableFuture<T> future = new CompletableFuture<>();
      futures.add(future);
      crew.execute(
          () -> {
            try {
              start.await();
              future.complete(mine.call());
            } catch (Throwable e) {
              future.completeExceptionally(e);
            }
          });
    }
    eventually(() -> futures.stream().allMatch(CompletableFuture::isDone));
    return futures.stream().map(StreamSuite::now).toList();
  }

  @ParameterizedTest
  @Guarantee("S08")
  @ValueSource(booleans = {true, false})
  void concurrent_equal_pushes_store_one_message(boolean isFusing) {
    StreamOptions options = OPTIONS.withFusing(isFusing);
    List<Streams> processes =
        List.of(over(subject.process(), options), over(subject.process(), options));
    for (int round = 0; round < rounds(20); round++) {
      NewMessage message = NewMessage.to(QUEUE, "a").in("p" + round % 3).once("tx" + round);

      List<Pushed> pushed =
          atOnce(WORKERS, i -> () -> processes.get(i % 2).push(List.of(message)).get(0));

      assertThat(pushed).filteredOn(one -> one.status() == Status.QUEUED).hasSize(1);
      assertThat(pushed).extracting(Pushed::messageId).containsOnly(pushed.get(0).messageId());
      assertThat(pushed).extracting(Pushed::offset).containsOnly(pushed.get(0).offset());
    }
    assertThat(stored()).hasSize(rounds(20));
  }

  @Test
  @Guarantee({"S02", "S03", "SF16"})
  void pushes_at_the_same_time_stay_whole_and_in_order() {
    int calls = 25;
    List<String> partitions = List.of("p", "q", "r");

    atOnce(
        WORKERS,
        worker ->
            () -> {
              for (int call = 0; call < calls; call++) {
                List<NewMessage> messages = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                  int lane = worker % 2 == 0 ? i % 3 : 2 - i % 3;
                  String text = worker + "/" + call + "/" + i;
                  messages.add(NewMessage.to(QUEUE, text).in(partitions.get(lane)));
                }
                either(worker).push(messages);
              }
              return worker;
            });

    for (String partition : partitions) {
      List<Message> got = streams.pop(request(10_000).partition(partition)).messages();
      assertThat(got)
          .extracting(m -> m.place().offset())
          .isEqualTo(
              IntStream.rangeClosed(1, WORKERS * calls * 2).mapToObj(i -> (long) i).toList());
      assertThat(got).extracting(Message::createdAt).isSorted();
      assertThat(got).extracting(m -> m.id().toString()).isSorted().doesNotHaveDuplicates();
      for (int worker = 0; worker < WORKERS; worker++) {
        String own = worker + "/";
        List<Integer> order =
            got.stream()
                .map(m -> m.payload().text())
                .filter(text -> text.startsWith(own))
                .map(StreamConcurrencyContract::place)
                .toList();
        assertThat(order).hasSize(calls * 2).isSorted();
      }
    }
  }

  private static int place(String text) {
    String[] parts = text.split("/");
    return Integer.parseInt(parts[1]) * 10 + Integer.parseInt(parts[2]);
  }

  /** What two holders at a time would spoil: neither volatile nor synchronised, on purpose. */
  private static final class Lane {
    long last;
    int handled;
  }

  @Test
  @Guarantee({"S02", "S25", "S27", "S38"})
  void a_partition_has_one_holder_at_a_time_and_keeps_its_order() {
    int lanes = 5;
    int each = 60;
    streams.configure(config());
    Map<String, Lane> seen = new ConcurrentHashMap<>();
    for (int i = 0; i < lanes; i++) {
      push("p" + i, numbered(each));
      seen.put("p" + i, new Lane());
    }
    AtomicInteger left = new AtomicInteger(lanes * each);

    atOnce(
        WORKERS,
        worker ->
            () -> {
              while (left.get() > 0) {
                Popped popped = either(worker).pop(request(4).partitions(1 + worker % 2));
                for (Message message : popped.messages()) {
                  Lane lane = seen.get(message.place().partition());
                  if (lane == null || lane.last + 1 != message.place().offset()) {
                    left.set(0);
                    throw new AssertionError(message.place() + " is out of order");
                  }
                  lane.last++;
                  lane.handled++;
                }
                if (!popped.isEmpty()) {
                  List<Acked> acked = either(worker).ack(popped.ackAll(Verdict.COMPLETED));
                  assertThat(acked).allMatch(Acked::isSuccess);
                  left.addAndGet(-popped.messages().size());
                }
              }
              return worker;
            });

    assertThat(seen.values()).allMatch(lane -> lane.handled == each && lane.last == each);
    assertThat(streams.browser().depth(QUEUE).depth()).isZero();
  }

  @Test
  @Guarantee({"S26", "SF6"})
  void two_first_pops_of_a_group_at_once_make_one_subscription_and_no_double_delivery() {
    for (int i = 0; i < 10; i++) {
      push("p" + i, "m" + i);
    }
    for (int round = 0; round < rounds(10); round++) {
      String group = "group" + round;

      List<Popped> popped =
          atOnce(4, i -> () -> either(i).pop(request(3).group(group).partitions(3)));

      List<String> texts = popped.stream().flatMap(p -> texts(p).stream()).toList();
      assertThat(texts).doesNotHaveDuplicates().hasSize(10);
      assertThat(streams.admin().groups(QUEUE))
          .filteredOn(info -> info.name().equals(group))
          .hasSize(1);
      assertThat(streams.admin().cursors(QUEUE, group, null, 100)).hasSize(10);
    }
  }

  @ParameterizedTest
  @Guarantee({"S17", "SF17"})
  @ValueSource(booleans = {true, false})
  void producers_at_the_capacity_limit_never_exceed_it(boolean isFusing) {
    int limit = 50;
    int producers = 20;
    StreamOptions options = OPTIONS.withFusing(isFusing);
    List<Streams> processes =
        List.of(over(subject.process(), options), over(subject.process(), options));
    streams.configure(config().maxSize(limit));
    pop(1);
    AtomicLong highest = new AtomicLong();
    AtomicInteger accepted = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger working = new AtomicInteger(producers);

    atOnce(
        producers + 1,
        i ->
            i == producers
                ? drain(working, highest)
                : produce(i, processes, accepted, refused, working, highest));

    assertThat(highest).hasValueLessThanOrEqualTo(limit);
    assertThat(refused).as("the limit was reached").hasPositiveValue();
    assertThat(streams.browser().tally(QUEUE, GROUP).pushed()).isEqualTo(accepted.get());
    assertThat(streams.browser().depth(QUEUE).depth()).isLessThanOrEqualTo(limit);
  }

  private Callable<Integer> produce(
      int i,
      List<Streams> processes,
      AtomicInteger accepted,
      AtomicInteger refused,
      AtomicInteger working,
      AtomicLong highest) {
    return () -> {
      for (int call = 0; call < 15; call++) {
        List<NewMessage> messages =
            IntStream.rangeClosed(0, i % 4)
                .mapToObj(n -> NewMessage.to(QUEUE, "m").in("p" + i % 6))
                .toList();
        try {
          Pushed pushed = processes.get(i % 2).push(messages).get(0);
          Pushed.Capacity capacity = pushed.capacity();
          if (capacity == null) {
            throw new AssertionError("a limited queue has a capacity");
          }
          highest.accumulateAndGet(capacity.depth(), Math::max);
          accepted.addAndGet(messages.size());
        } catch (QueueFullException full) {
          highest.accumulateAndGet(full.depth(), Math::max);
          refused.incrementAndGet();
        }
      }
      return working.decrementAndGet();
    };
  }

  /** Settles a little now and then, so that the limit is reached again and again. */
  private Callable<Integer> drain(AtomicInteger working, AtomicLong highest) {
    return () -> {
      while (working.get() > 0) {
        Popped popped = pop(3);
        ack(popped, Verdict.COMPLETED);
        highest.accumulateAndGet(streams.browser().depth(QUEUE).depth(), Math::max);
      }
      return 0;
    };
  }

  @Test
  @Guarantee({"S17", "SF27"})
  void a_refused_push_does_not_harm_those_it_travels_with() {
    streams.configure(config().maxSize(1));
    push("p", "full");
    List<CompletableFuture<List<Pushed>>> fine = new ArrayList<>();
    List<CompletableFuture<List<Pushed>>> refused = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      NewMessage bystander = NewMessage.to("other", "m" + i).in("p");
      fine.add(streams.pushAsync(List.of(bystander), null));
      NewMessage tooMuch = NewMessage.to(QUEUE, "m" + i).in("p");
      refused.add(streams.pushAsync(List.of(bystander.in("q"), tooMuch), null));
    }

    for (int i = 0; i < 100; i++) {
      assertThat(now(fine.get(i)).get(0).status()).isEqualTo(Status.QUEUED);
      CompletableFuture<List<Pushed>> push = refused.get(i);
      failing(StreamError.QUEUE_FULL, () -> now(push));
    }
    assertThat(stored("other")).hasSize(100);
    assertThat(stored()).containsExactly("full");
  }

  @Test
  @Guarantee({"S43", "SF1"})
  void no_push_is_missed_by_those_who_wait() {
    int total = 400;
    streams.configure(config());
    Queue<String> got = new ConcurrentLinkedQueue<>();
    Queue<CompletableFuture<Popped>> asked = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 6; i++) {
      serve(either(i), got, asked);
    }

    atOnce(
        4,
        producer ->
            () -> {
              for (int i = 0; i < total / 4; i++) {
                String text = producer + "/" + i;
                NewMessage message = NewMessage.to(QUEUE, text).in("p" + i % 3);
                either(producer).push(List.of(message));
              }
              return producer;
            });
    eventually(
        () -> {
          pass(Duration.ofMillis(50)); // hints to another process are sent at most that often
          return got.size() >= total;
        });

    asked.forEach(pop -> pop.cancel(true));
    assertThat(got).hasSize(total).doesNotHaveDuplicates();
  }

  /** Pops and settles again and again until called off. */
  private void serve(Streams process, Queue<String> got, Queue<CompletableFuture<Popped>> asked) {
    PopRequest request = request(7).waiting(Duration.ofHours(1)).leaseFor(Duration.ofHours(5));
    CompletableFuture<Popped> pop = process.popAsync(request);
    asked.add(pop);
    pop.thenAcceptAsync(
        popped -> {
          got.addAll(texts(popped));
          process.ack(popped.ackAll(Verdict.COMPLETED));
          serve(process, got, asked);
        },
        crew);
  }

  @Test
  @Guarantee({"S65", "SF8"})
  void of_an_ack_and_a_takeover_at_expiry_not_both_count() {
    streams.configure(config());
    for (int round = 0; round < rounds(30); round++) {
      push("p", "m" + round);
      Popped first = pop(1);
      time.advance(LEASE.minusMillis(1));

      List<Boolean> settled =
          atOnce(
              2,
              i ->
                  () -> {
                    if (i == 0) {
                      return ack(first, Verdict.COMPLETED).get(0).isSuccess();
                    }
                    time.advanceMs(1);
                    Popped next = there.pop(request(1));
                    return there.ack(next.ackAll(Verdict.COMPLETED)).stream()
                        .anyMatch(acked -> acked.isSuccess() && !acked.isNoop());
                  });

      assertThat(settled).as("round %s", round).isNotEqualTo(List.of(true, true));
      if (!settled.contains(true)) {
        // The one came too late, and the other found it at work: it is there for the next.
        ack(pop(1), Verdict.COMPLETED);
      }
      assertThat(committed("p")).isEqualTo(round + 1L);
      time.advance(LEASE);
    }
  }

  @Test
  @Guarantee({"S58", "S62"})
  void of_equal_acks_at_the_same_time_one_counts() {
    streams.configure(config().retrying(1000, Duration.ZERO));
    push("p", "a");
    for (int round = 0; round < rounds(20); round++) {
      Popped popped = pop(1);
      assertThat(attempts(popped)).containsExactly(round + 1);

      List<Acked> acked = atOnce(4, i -> () -> either(i).ack(popped.ackAll(Verdict.FAILED)).get(0));

      assertThat(acked).filteredOn(one -> one.isSuccess() && !one.isNoop()).hasSize(1);
    }
    Popped last = pop(1);
    List<Acked> acked = atOnce(4, i -> () -> either(i).ack(last.ackAll(Verdict.COMPLETED)).get(0));
    assertThat(acked).allMatch(Acked::isSuccess);
    assertThat(acked).filteredOn(one -> !one.isNoop()).hasSize(1);
  }
}
