package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.INVALID_ARGUMENT;
import static io.holdfast.stream.StreamError.LEASE_LOST;
import static io.holdfast.stream.StreamError.QUEUE_NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Ack;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamSettings;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which queues there are, how they are configured, and what ends with them. */
public abstract class StreamCatalogContract extends StreamOperatorSuite {
  private StreamInfo found(String queue) {
    return streams.admin().find(queue).orElseThrow();
  }

  private void pushTo(String queue, String text) {
    streams.push(List.of(NewMessage.to(queue, text)));
  }

  private static PopRequest labelled(String namespace, String task) {
    return PopRequest.of(PopSource.labels(namespace, task)).group(GROUP);
  }

  /** Every option with a value that is not its default. */
  private static Map<StreamOption, Object> unusual() {
    Map<StreamOption, Object> values = new EnumMap<>(StreamOption.class);
    for (StreamOption option : StreamOption.values()) {
      Object standard = option.byDefault();
      if (standard instanceof Boolean on) {
        values.put(option, !on);
      } else if (standard instanceof Long number) {
        values.put(option, number + 7);
      } else if (option == StreamOption.DEDUP_WINDOW) {
        values.put(option, 7L);
      }
    }
    values.put(StreamOption.ON_EXHAUSTED, "park");
    values.put(StreamOption.MAX_WAIT_ACTION, "deadLetter");
    values.put(StreamOption.UNPARTITIONED, "spread");
    return values;
  }

  private static StreamConfig unusualConfig() {
    StreamConfig config = StreamConfig.of(QUEUE);
    for (Map.Entry<StreamOption, Object> entry : unusual().entrySet()) {
      config = config.with(entry.getKey(), entry.getValue());
    }
    return config;
  }

  @Test
  @Guarantee("S102")
  void configure_changes_only_what_is_given() {
    streams.configure(StreamConfig.of(QUEUE).labelled("shop", "pay").leaseFor(LEASE).maxSize(5));

    StreamInfo changed = streams.configure(StreamConfig.of(QUEUE).maxSize(6));

    assertThat(changed.settings().number(StreamOption.LEASE_TIME)).isEqualTo(10);
    assertThat(changed.settings().number(StreamOption.MAX_SIZE)).isEqualTo(6);
    assertThat(changed.labels()).isEqualTo(new StreamInfo.Labels("shop", "pay"));
    assertThat(streams.configure(StreamConfig.of(QUEUE))).isEqualTo(changed);
    assertThat(found(QUEUE)).isEqualTo(changed);
  }

  @Test
  @Guarantee("S102")
  void null_is_the_default_and_replacing_puts_the_rest_to_it() {
    streams.configure(StreamConfig.of(QUEUE).leaseFor(LEASE).maxSize(5));

    StreamSettings settings =
        streams.configure(StreamConfig.of(QUEUE).with(StreamOption.MAX_SIZE, null)).settings();
    assertThat(settings.number(StreamOption.MAX_SIZE)).isZero();
    assertThat(settings.number(StreamOption.LEASE_TIME)).isEqualTo(10);

    StreamSettings replaced =
        streams
            .configure(StreamConfig.of(QUEUE).with(StreamOption.RETRY_LIMIT, 9).replacing())
            .settings();
    assertThat(replaced).isEqualTo(StreamSettings.of(Map.of(StreamOption.RETRY_LIMIT, 9L)));
  }

  @Test
  @Guarantee("S102")
  void a_refused_configuration_changes_nothing() {
    StreamInfo before = streams.configure(config());

    failing(
        INVALID_ARGUMENT,
        () -> streams.configure(config().maxSize(3).with(StreamOption.LEASE_TIME, 0)));
    failing(
        INVALID_ARGUMENT,
        () -> streams.configure(config().maxSize(3).with(StreamOption.ON_EXHAUSTED, "cry")));
    failing(
        INVALID_ARGUMENT,
        () -> streams.configure(config().maxSize(3).with(StreamOption.RETENTION_ENABLED, 1)));

    assertThat(found(QUEUE)).isEqualTo(before);
  }

  @Test
  @Guarantee("S102")
  void a_shorter_delay_holds_for_what_waits_already() {
    streams.configure(config().with(StreamOption.DELAYED_PROCESSING, 3_600));
    push("p", "a");
    assertThat(pop(1).isEmpty()).isTrue();

    streams.configure(config().with(StreamOption.DELAYED_PROCESSING, 10));

    assertThat(pop(1).isEmpty()).isTrue();
    time.advance(Duration.ofSeconds(10));
    assertThat(texts(pop(1))).containsExactly("a");
  }

  @Test
  @Guarantee("S103")
  void every_option_is_echoed_also_those_without_effect() {
    Map<StreamOption, Object> given = unusual();

    StreamInfo made = streams.configure(unusualConfig());

    assertThat(given).containsOnlyKeys(StreamOption.values());
    assertThat(made.settings().values()).isEqualTo(given);
    assertThat(process().admin().find(QUEUE).orElseThrow().settings().values()).isEqualTo(given);
  }

  @Test
  @Guarantee("S103")
  void a_queue_made_by_a_push_has_the_defaults() {
    push("p", "a");

    assertThat(found(QUEUE).settings()).isEqualTo(StreamSettings.DEFAULTS);
    assertThat(found(QUEUE).createdAt()).isEqualTo(instant());
    assertThat(streams.admin().partitions(QUEUE, null, 10)).containsExactly("p");
  }

  @Test
  @Guarantee("S104")
  void deleting_an_absent_queue_succeeds() {
    assertThat(streams.delete("nowhere")).isFalse();
    streams.configure(config());
    assertThat(streams.delete(QUEUE)).isTrue();
    assertThat(streams.delete(QUEUE)).isFalse();
    assertThat(streams.admin().find(QUEUE)).isEmpty();
  }

  @Test
  void configure_makes_the_partition_for_messages_without_one() {
    streams.configure(config());

    assertThat(streams.admin().partitions(QUEUE, null, 10)).containsExactly("Default");
    pushTo(QUEUE, "a");
    assertThat(texts(popOf("Default", 1))).containsExactly("a");
  }

  @Test
  void spread_takes_turns_over_the_partitions() {
    streams.configure(config().with(StreamOption.UNPARTITIONED, "spread"));
    push("p", "x");
    push("q", "y");
    time.advance(Duration.ofSeconds(6));

    for (int i = 0; i < 6; i++) {
      pushTo(QUEUE, "m");
    }

    for (String partition : List.of("Default", "p", "q")) {
      MessageQuery query = MessageQuery.of(QUEUE).partition(partition);
      assertThat(streams.browser().messages(query))
          .filteredOn(stored -> stored.message().payload().text().equals("m"))
          .hasSize(2);
    }
  }

  @Test
  void labels_of_a_queue_made_by_a_push_come_from_its_name() {
    pushTo("shop.orders.eu", "a");
    pushTo("plain", "b");

    assertThat(found("shop.orders.eu").labels()).isEqualTo(new StreamInfo.Labels("shop", "orders"));
    assertThat(found("plain").labels()).isEqualTo(new StreamInfo.Labels("plain", ""));
  }

  @Test
  void a_pop_by_labels_serves_the_matching_queue_that_waits_longest() {
    PopRequest orders = PopRequest.of(PopSource.labels(null, "orders")).group(GROUP);
    for (String queue : List.of("shop.orders", "shop.bills", "bank.orders")) {
      pushTo(queue, "before");
      drained(PopRequest.of(queue).group(GROUP));
    }
    for (String queue : List.of("shop.orders", "shop.bills", "bank.orders")) {
      time.advance(Duration.ofSeconds(1));
      pushTo(queue, queue);
    }

    Popped first = streams.pop(orders);
    assertThat(first.queue()).isEqualTo("shop.orders");
    assertThat(texts(first)).containsExactly("shop.orders");
    assertThat(streams.pop(orders).queue()).isEqualTo("bank.orders");
    assertThat(streams.pop(orders).isEmpty()).isTrue();
    assertThat(streams.pop(labelled("bank", "bills")).isEmpty()).isTrue();
    assertThat(texts(streams.pop(labelled("shop", "bills")))).containsExactly("shop.bills");
    assertThat(ack(first, Verdict.COMPLETED).get(0).isSuccess()).isTrue();
  }

  @Test
  void a_pop_by_labels_waits_for_queues_that_are_yet_to_come() {
    CompletableFuture<Popped> waiting =
        parked(PopRequest.of(PopSource.labels("shop", null)).group(GROUP));

    pushTo("shop.orders", "a");

    assertThat(now(waiting).queue()).isEqualTo("shop.orders");
  }

  @Test
  void queues_and_partitions_are_listed_page_by_page() {
    for (String queue : List.of("b", "a", "c", "")) {
      pushTo(queue, "x");
    }
    push("q", "x");
    push("p", "x");
    push("r", "x");

    assertThat(streams.admin().list(null, 3))
        .extracting(StreamInfo::name)
        .containsExactly("", "a", "b");
    assertThat(streams.admin().list("b", 3))
        .extracting(StreamInfo::name)
        .containsExactly("c", QUEUE);
    assertThat(streams.admin().partitions(QUEUE, null, 2)).containsExactly("p", "q");
    assertThat(streams.admin().partitions(QUEUE, "q", 2)).containsExactly("r");
    assertThat(streams.admin().partitions("nowhere", null, 2)).isEmpty();
    failing(INVALID_ARGUMENT, () -> streams.admin().list(null, 0));
  }

  @Test
  void what_belonged_to_a_deleted_queue_is_dead_when_its_name_is_used_again() {
    Pushed pushed = streams.push(List.of(NewMessage.to(QUEUE, "old").in("p").once("tx"))).get(0);
    StreamInfo old = found(QUEUE);
    Popped held = pop(1);
    List<Ack> acks = held.ackAll(Verdict.COMPLETED);

    assertThat(streams.delete(QUEUE)).isTrue();
    failing(QUEUE_NOT_FOUND, () -> streams.browser().depth(QUEUE));
    assertThat(pop(1).isEmpty()).isTrue();
    time.advance(Duration.ofMillis(1));
    Pushed again = streams.push(List.of(NewMessage.to(QUEUE, "new").in("p").once("tx"))).get(0);

    assertThat(again.status()).isEqualTo(Pushed.Status.QUEUED);
    assertThat(again.offset()).isEqualTo(1);
    assertThat(again.partitionId()).isNotEqualTo(pushed.partitionId());
    assertThat(found(QUEUE).uid()).isNotEqualTo(old.uid());
    Popped fresh = pop(5);
    assertThat(texts(fresh)).containsExactly("new");
    assertThat(fence(fresh)).isGreaterThan(fence(held));
    assertThat(streams.ack(acks).get(0).error()).isEqualTo(LEASE_LOST);
    failing(LEASE_LOST, () -> streams.extend(lease(held), LEASE));
    failing(LEASE_LOST, () -> streams.release(lease(held), null));
    assertThat(streams.browser().message(pushed.partitionId(), "tx")).isEmpty();
    assertThat(ack(fresh, Verdict.COMPLETED).get(0).isSuccess()).isTrue();
  }

  @Test
  void a_pop_that_waits_outlives_the_queue_and_gets_what_comes_under_its_name() {
    push("p", "old");
    drained(GROUP);
    Streams there = process();
    CompletableFuture<Popped> waiting = parked(request(1));

    there.delete(QUEUE);
    settle();
    assertThat(waiting).isNotDone();
    push("p", "new");

    assertThat(texts(now(waiting))).containsExactly("new");
  }

  @Test
  void what_deleted_queues_left_is_removed_in_the_background() {
    push("p", "a");
    streams.delete(QUEUE);

    pass(UPKEEP);

    assertThat(streams.admin().list(null, 10)).isEmpty();
    push("p", "b");
    assertThat(stored()).containsExactly("b");
  }
}
