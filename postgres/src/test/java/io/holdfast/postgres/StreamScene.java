package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Entry;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamLeases;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.StreamStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Two calls about one queue, and what must hold after them: no partition has something pending that
 * no pop will find, every partition is read by every group, the counters count what they say, and
 * the next pops bring exactly what is due.
 */
final class StreamScene implements StreamSchedules.Play {
  static final StoreCall CALL = StoreCall.plain();
  static final String GROUP = "billing";
  private static final AtomicInteger QUEUES = new AtomicInteger();
  static final Duration LEASE = Duration.ofSeconds(10);

  /** Messages that their group is to get, in a cursor that says nothing is pending. */
  private static final String FORGOTTEN =
      """
      SELECT string_agg(format('%%s of partition %%s behind %%s', m.off, m.partition_id, c.committed), ', ')
        FROM %1$s.stream_queue AS q
        JOIN %1$s.stream_subscription AS s ON s.queue_id = q.id AND s.name IS NOT NULL
        JOIN %1$s.stream_cursor AS c ON c.queue_id = q.id AND c.sub_id = s.id AND c.ready_at IS NULL
        JOIN %1$s.stream_message AS m
          ON m.queue_id = q.id AND m.partition_id = c.partition_id AND m.off > c.committed
         AND (m.only_sub IS NULL OR m.only_sub = s.id)
       WHERE q.name = '%2$s'
         AND NOT EXISTS (SELECT FROM %1$s.stream_mark AS k
                          WHERE k.queue_id = q.id AND k.partition_id = c.partition_id
                            AND k.sub_id = s.id AND k.off = m.off AND k.kind = 'd')
      """;

  /** Partitions that a group believes to read and does not. */
  private static final String UNREAD =
      """
      SELECT string_agg(format('%%s by %%s', p.name, s.name), ', ')
        FROM %1$s.stream_queue AS q
        JOIN %1$s.stream_partition AS p ON p.queue_id = q.id
        JOIN %1$s.stream_subscription AS s
          ON s.queue_id = q.id AND s.name IS NOT NULL AND (s.seeded OR p.id <= s.seeded_through)
       WHERE q.name = '%2$s'
         AND NOT EXISTS (SELECT FROM %1$s.stream_cursor AS c
                          WHERE c.queue_id = q.id AND c.partition_id = p.id AND c.sub_id = s.id)
      """;

  private static final String DRIFT =
      """
      SELECT string_agg(format('%%s is counted as %%s', d.actual, d.counted), ', ')
        FROM %1$s.stream_queue AS q, %1$s.stream_drift_v1(q.id, 1000) AS d WHERE q.name = '%2$s'
      """;

  /** What comes before. */
  interface Situation {
    void make(StreamScene scene) throws Exception;
  }

  /** A call. */
  interface Move {
    @Nullable Object make(StreamScene scene, StreamStore store) throws Exception;
  }

  final StreamStage stage;
  private final Situation situation;
  private final Move first;
  private final Move second;
  private Situation between = scene -> {};
  private final Set<List<String>> outcomes = new HashSet<>();
  private String queue = "";
  private Popped held = Popped.nothing(GROUP);
  final List<String> seen = new ArrayList<>();

  StreamScene(StreamStage stage, Situation situation, Move first, Move second) {
    this.stage = stage;
    this.situation = situation;
    this.first = first;
    this.second = second;
  }

  /** Where the group gets one of these at last, whatever the order. */
  @SafeVarargs
  final StreamScene leadingTo(List<String>... texts) {
    for (List<String> one : texts) {
      outcomes.add(one);
    }
    return this;
  }

  /** Where this happens between any two steps. */
  StreamScene watchedBy(Situation observer) {
    between = observer;
    return this;
  }

  String queue() {
    return queue;
  }

  Popped held() {
    return held;
  }

  /** What a pop of the situation brought, for the calls. */
  void hold(Popped popped) {
    assertThat(popped.isEmpty()).as("something to hold").isFalse();
    held = popped;
  }

  StreamStore store() {
    return stage.store.streams();
  }

  void configure(StreamConfig config) {
    store().catalog().configure(config, CALL);
  }

  StreamConfig config() {
    return StreamConfig.of(queue).leaseFor(LEASE);
  }

  StreamLog.PushAnswer push(String... texts) {
    return push(store(), "p", texts);
  }

  StreamLog.PushAnswer push(StreamStore by, String partition, String... texts) {
    List<Entry> entries = new ArrayList<>();
    for (String text : texts) {
      entries.add(entry(partition, text));
    }
    return by.log().push(entries, CALL);
  }

  Entry entry(String partition, String text) {
    return new Entry(queue, partition, Payload.of(text), false, null, null, null);
  }

  Popped pop() {
    return pop(store(), request());
  }

  static Popped pop(StreamStore by, PopRequest request) {
    StreamLeases.PopAnswer answer = by.leases().pop(List.of(request), CALL).get(0);
    return answer.popped();
  }

  PopRequest request() {
    return PopRequest.of(queue).group(GROUP).batch(10).leaseFor(LEASE);
  }

  static List<String> texts(Popped popped) {
    return popped.messages().stream().map(m -> m.payload().text()).toList();
  }

  @Override
  public void set(int number) throws Exception {
    queue = "q" + QUEUES.incrementAndGet();
    held = Popped.nothing(GROUP);
    seen.clear();
    situation.make(this);
    stage.arm(
        () -> first.make(this, stage.one.store.streams()),
        () -> second.make(this, stage.other.store.streams()));
  }

  @Override
  public void between() throws Exception {
    between.make(this);
  }

  @Override
  public void check() throws Exception {
    answered(stage.one);
    answered(stage.other);
    assertThat(found(FORGOTTEN)).as("messages that nobody will find").isNull();
    assertThat(found(UNREAD)).as("partitions without a cursor").isNull();
    assertThat(found(DRIFT)).as("counters").isNull();
    stage.time.advance(LEASE);
    stage.time.advance(Duration.ofSeconds(1));
    Popped popped = pop(store(), request().autoAck(true));
    while (!popped.isEmpty()) {
      seen.addAll(texts(popped));
      popped = pop(store(), request().autoAck(true));
    }
    assertThat(List.copyOf(seen)).isIn(outcomes);
    stage.clear();
  }

  private static void answered(StreamStage.Actor actor) {
    try {
      assertThat(actor.answer()).isNotNull();
    } catch (CompletionException e) {
      throw new AssertionError(actor + " failed", Objects.requireNonNull(e.getCause()));
    }
  }

  private @Nullable String found(String sql) throws SQLException {
    return stage.query(sql.formatted(stage.schema, queue));
  }
}
