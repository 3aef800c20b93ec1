package io.holdfast.postgres;

import static io.holdfast.postgres.StreamScene.GROUP;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.Cancellation;
import io.holdfast.lease.StoreCall;
import io.holdfast.postgres.StreamStage.Where;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Batch;
import io.holdfast.stream.Entry;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Position;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamStore;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams against callers' open transactions, against each other, and after a lossy failover. */
@Timeout(120)
class StreamRaceTest {
  private static final String QUEUE = "orders";
  private static final Duration LEASE = Duration.ofSeconds(10);

  /** Fails where it would have to wait for somebody. */
  private static final StoreCall PROMPT =
      new StoreCall(Cancellation.never(), Duration.ofSeconds(4));

  private StreamStage stage;
  private StreamStore store;

  @BeforeEach
  void set_the_stage() throws SQLException {
    stage = new StreamStage();
    store = stage.store.streams();
    store.catalog().configure(StreamConfig.of(QUEUE).leaseFor(LEASE), PROMPT);
  }

  @AfterEach
  void clear_the_stage() throws SQLException {
    assertThat(drift()).isNull();
    stage.close();
  }

  private @Nullable String drift() throws SQLException {
    return stage.query(
        """
        SELECT string_agg(d.kind || d.counted || '<>' || d.actual, ' ')
          FROM %1$s.stream_queue AS q, %1$s.stream_drift_v1(q.id, 1000) AS d
        """
            .formatted(stage.schema));
  }

  private static Entry entry(String partition, String text) {
    return new Entry(QUEUE, partition, Payload.of(text), false, null, null, null);
  }

  private static NewMessage message(String partition, String text) {
    return NewMessage.to(QUEUE, text).in(partition);
  }

  private List<Long> push(StreamStore by, Entry... entries) {
    StreamLog.PushAnswer answer = by.log().push(List.of(entries), PROMPT);
    return ((StreamLog.Appended) answer).pushed().stream().map(p -> p.offset()).toList();
  }

  private Popped pop(PopRequest request) {
    return store.leases().pop(List.of(request), PROMPT).get(0).popped();
  }

  private static PopRequest request(String group) {
    return PopRequest.of(QUEUE).group(group).batch(100).partitions(100);
  }

  private List<Acked> ack(Popped popped) {
    return store.leases().ack(popped.ackAll(Verdict.COMPLETED), PROMPT).acked();
  }

  private static Batch.Held lease(Popped popped) {
    return Objects.requireNonNull(popped.batches().get(0).lease());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Guarantee("SF4")
  void a_push_that_was_waited_for_and_rolled_back_leaves_nothing_and_no_gap(boolean isNew)
      throws Exception {
    pop(request(GROUP));
    if (!isNew) {
      ack(popAfter(() -> push(store, entry("p", "first"))));
    }
    long next = isNew ? 1 : 2;
    try (Connection caller = TestDatabase.begin()) {
      stage.in(caller).push(List.of(message("p", "lost"), message("p", "too")));
      stage.arm(() -> push(stage.one.store.streams(), entry("p", "kept")), null);
      while (stage.one.where() != Where.BLOCKED) {
        stage.step(stage.one);
      }

      caller.rollback();
    }
    stage.open();

    assertThat(stage.one.answer()).isEqualTo(List.of(next));
    stage.time.advance(Duration.ofSeconds(1));
    Popped popped = pop(request(GROUP));
    assertThat(StreamScene.texts(popped)).containsExactly("kept");
    assertThat(store.monitor().tally(QUEUE, GROUP, PROMPT).pushed()).isEqualTo(next);
  }

  private Popped popAfter(Callable<?> call) throws Exception {
    call.call();
    return pop(request(GROUP));
  }

  @Test
  @Guarantee("SF15")
  void a_callers_open_push_holds_up_neither_other_partitions_nor_any_consumer() throws Exception {
    push(store, entry("p", "old"), entry("q", "other"));
    Popped held = pop(request(GROUP).partition("p"));
    try (Connection caller = TestDatabase.begin()) {
      stage.in(caller).push(List.of(message("p", "open")));

      push(store, entry("q", "more"), entry("r", "new partition"));
      assertThat(StreamScene.texts(pop(request(GROUP))))
          .containsExactlyInAnyOrder("other", "more", "new partition");
      assertThat(ack(held)).allMatch(acked -> acked.isSuccess() && acked.isReleased());
      PopRequest late = request("late");
      stage.time.advance(Duration.ofSeconds(1));
      List<String> first = StreamScene.texts(pop(late.autoAck(true)));
      stage.time.advance(Duration.ofSeconds(1));
      first = join(first, StreamScene.texts(pop(late.autoAck(true))));
      assertThat(first).containsExactlyInAnyOrder("old", "other", "more", "new partition");
      store.groups().seek(QUEUE, "late", null, Position.END, PROMPT);
      caller.commit();
    }

    stage.time.advance(Duration.ofSeconds(1));
    assertThat(StreamScene.texts(pop(request(GROUP)))).containsExactly("open");
  }

  private static List<String> join(List<String> some, List<String> more) {
    List<String> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }

  @Test
  @Guarantee("SF15")
  void a_callers_open_ack_holds_up_no_producer_and_outlives_its_lease() throws Exception {
    push(store, entry("p", "old"));
    Popped held = pop(request(GROUP));
    try (Connection caller = TestDatabase.begin()) {
      List<Acked> acked = stage.in(caller).ack(held.ackAll(Verdict.COMPLETED));
      assertThat(acked).allMatch(one -> one.isSuccess() && one.isReleased());

      assertThat(push(store, entry("p", "next"))).containsExactly(2L);
      stage.time.advance(LEASE);
      assertThat(pop(request(GROUP)).isEmpty()).as("while it is open").isTrue();
      assertThat(StreamScene.texts(pop(request("other")))).containsExactly("old", "next");
      caller.commit();
    }

    stage.time.advance(Duration.ofSeconds(1));
    assertThat(StreamScene.texts(pop(request(GROUP)))).containsExactly("next");
  }

  @Test
  @Guarantee("SF21")
  void an_old_ack_matches_nothing_when_a_failover_gave_its_fence_to_somebody_else()
      throws Exception {
    push(store, entry("p", "a"));
    pop(request("other"));
    pop(request(GROUP).leaseFor(LEASE).batch(1).partition("Default"));
    stage.execute(
        "CREATE TABLE %1$s.replica AS SELECT * FROM %1$s.stream_cursor".formatted(stage.schema));
    Popped before = pop(request(GROUP));
    stage.execute(
        """
        DELETE FROM %1$s.stream_cursor;
        INSERT INTO %1$s.stream_cursor SELECT * FROM %1$s.replica
        """
            .formatted(stage.schema));

    Popped after = pop(request(GROUP));
    List<Acked> old = ack(before);

    assertThat(lease(after).fence()).isEqualTo(lease(before).fence());
    assertThat(lease(after).id()).isNotEqualTo(lease(before).id());
    assertThat(old).noneMatch(Acked::isSuccess);
    assertThat(store.leases().release(lease(before).id(), null, PROMPT).partitions()).isZero();
    assertThat(ack(after)).allMatch(acked -> acked.isSuccess() && !acked.isNoop());
  }

  @Test
  @Guarantee("SF16")
  void pushes_in_opposite_order_transactions_retention_and_seeks_lose_nothing() throws Exception {
    StoreCall call = StoreCall.plain();
    store
        .catalog()
        .configure(
            StreamConfig.of(QUEUE)
                .with(StreamOption.RETENTION_ENABLED, true)
                .with(StreamOption.COMPLETED_RETENTION, 1),
            call);
    pop(request(GROUP));
    pop(request("replay"));
    AtomicInteger settled = new AtomicInteger();
    int rounds = 15;
    ExecutorService crew = Executors.newFixedThreadPool(6);
    List<Future<Object>> work = new ArrayList<>();
    for (String[] order : List.of(new String[] {"p", "q", "r"}, new String[] {"r", "q", "p"})) {
      StreamStore by = stage.open("ApplicationName=" + stage.schema).streams();
      work.add(
          crew.submit(
              repeat(
                  rounds,
                  () -> {
                    List<Entry> entries = new ArrayList<>();
                    for (String partition : order) {
                      entries.add(entry(partition, "m"));
                    }
                    return by.log().push(entries, call);
                  })));
    }
    for (int i = 0; i < 2; i++) {
      StreamStore by = stage.open("ApplicationName=" + stage.schema).streams();
      work.add(crew.submit(repeat(2 * rounds, () -> transact(by, settled, call))));
    }
    work.add(crew.submit(repeat(rounds, () -> store.upkeep().retain(call))));
    work.add(
        crew.submit(
            repeat(
                rounds,
                () -> {
                  stage.time.advanceMs(100);
                  return store.groups().seek(QUEUE, "replay", null, Position.BEGIN, call);
                })));

    for (Future<Object> one : work) {
      one.get(60, SECONDS);
    }
    crew.shutdownNow();
    stage.time.advance(LEASE);
    stage.time.advance(LEASE);
    while (transact(store, settled, call)) {}
    assertThat(settled.get()).isEqualTo(rounds * 6);
    assertThat(store.monitor().tally(QUEUE, GROUP, call).pending()).isZero();
    assertThat(store.monitor().depths("done", call).get(0).depth()).isEqualTo(settled.get());
  }

  /** Takes some messages, and settles and forwards them in one transaction. */
  private static boolean transact(StreamStore by, AtomicInteger settled, StoreCall call) {
    PopRequest request = PopRequest.of(QUEUE).group(GROUP).batch(4).partitions(2);
    Popped popped = by.leases().pop(List.of(request), call).get(0).popped();
    List<Entry> forwarded =
        popped.messages().stream()
            .map(
                m -> new Entry("done", m.place().partition(), m.payload(), false, null, null, null))
            .toList();
    StreamLog.TransactAnswer answer =
        by.log().transact(forwarded, popped.ackAll(Verdict.COMPLETED), Set.of(), call);
    assertThat(((StreamLog.Settled) answer).transacted().isCommitted()).isTrue();
    settled.addAndGet(popped.messages().size());
    return !popped.isEmpty();
  }

  private static Callable<Object> repeat(int times, Callable<?> call) {
    return () -> {
      for (int i = 0; i < times; i++) {
        call.call();
      }
      return times;
    };
  }
}
