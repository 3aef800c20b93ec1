package io.holdfast.postgres;

import static io.holdfast.postgres.StreamScene.CALL;
import static io.holdfast.postgres.StreamScene.GROUP;
import static io.holdfast.postgres.StreamScene.pop;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.postgres.StreamScene.Move;
import io.holdfast.postgres.StreamStage.Where;
import io.holdfast.stream.Batch;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Entry;
import io.holdfast.stream.Payload;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamMonitor;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamStore;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.history.StreamHistory;
import io.holdfast.testkit.history.StreamHistory.ClaimKey;
import io.holdfast.testkit.stream.FaultyStreamStore;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The server process of a call is killed at each of its points, its commit included, or its answer
 * is lost: everything that was pushed is completed, pending, dead or dropped, and repeating the
 * call leads where the call would have led.
 */
@Timeout(120)
class StreamCrashTest {
  private static final Duration AGES = Duration.ofMinutes(2);
  private static StreamStage stage;

  @BeforeAll
  static void set_the_stage() throws SQLException {
    stage = new StreamStage();
  }

  @AfterAll
  static void clear_the_stage() throws SQLException {
    stage.close();
  }

  /** Five messages in two partitions: one completed, one dead, one held, two pending. */
  private static void situation(StreamScene scene) {
    scene.configure(
        scene
            .config()
            .with(StreamOption.RETENTION_ENABLED, true)
            .with(StreamOption.RETENTION, AGES.toSeconds()));
    scene.push(scene.store(), "p", "done", "dead", "held");
    scene.push(scene.store(), "q", "waits", "too");
    Popped done = pop(scene.store(), scene.request().partition("p").batch(1));
    scene.store().leases().ack(done.ackAll(Verdict.COMPLETED), CALL);
    Popped dead = pop(scene.store(), scene.request().partition("p").batch(1));
    scene.store().leases().ack(dead.ackAll(Verdict.DEAD_LETTER), CALL);
    scene.hold(pop(scene.store(), scene.request().partition("p")));
  }

  /** Kills the call at each of its points in turn, and once more loses its answer. */
  private void survives(Move move, long pushed) throws Exception {
    int points = 0;
    while (kill(move, points, pushed)) {
      points++;
    }
    assertThat(points).as("points of the call, its commit among them").isGreaterThanOrEqualTo(2);
    StreamScene scene = scene(move);
    FaultyStreamStore losing = new FaultyStreamStore(stage.store.streams());
    List.of("push", "pop", "ack", "transact", "redrive", "retain").forEach(losing::loseNext);
    try {
      move.make(scene, losing);
      throw new AssertionError("its answer was not lost");
    } catch (StreamException lost) {
      assertThat(lost.isOutcomeUnknown()).isTrue();
    }
    concluded(scene, move, pushed);
  }

  private static StreamScene scene(Move move) throws Exception {
    stage.clear();
    StreamScene scene = new StreamScene(stage, StreamCrashTest::situation, move, move);
    scene.set(0);
    return scene;
  }

  /** Whether the call has a point of this number, at which it was killed. */
  private boolean kill(Move move, int point, long pushed) throws Exception {
    StreamScene scene = scene(move);
    stage.arm(() -> move.make(scene, stage.one.store.streams()), null);
    for (int i = 0; i <= point && stage.one.where() != Where.DONE; i++) {
      stage.step(stage.one);
    }
    boolean isKilled = stage.one.where() == Where.POINT;
    if (isKilled) {
      stage.execute("SELECT pg_terminate_backend(" + stage.one.pid() + ", 20000)");
    }
    stage.open();
    concluded(scene, move, pushed);
    return isKilled;
  }

  /** Repeats the call, as its caller would, and adds up. */
  private static void concluded(StreamScene scene, Move move, long pushed) throws Exception {
    StreamStore store = scene.store();
    addsUp(scene);
    move.make(scene, store);
    long dropped = addsUp(scene);
    assertThat(store.monitor().tally(scene.queue(), GROUP, CALL).pushed()).isEqualTo(pushed);
    stage.time.advance(StreamScene.LEASE);
    stage.time.advance(Duration.ofSeconds(1));
    drain(scene, dropped);
    StreamMonitor.Tally tally = store.monitor().tally(scene.queue(), GROUP, CALL);
    assertThat(tally.pending()).isZero();
    addsUp(scene);
  }

  /**
   * Counters are what they count, and what the group has not passed is what a look at the log says;
   * what it has passed is completed, dead or lost. Answers how much was dropped.
   */
  private static long addsUp(StreamScene scene) throws SQLException {
    StreamMonitor.Tally tally = scene.store().monitor().tally(scene.queue(), GROUP, CALL);
    String drift =
        stage.query(
            """
            SELECT string_agg(d.kind || d.counted || '<>' || d.actual, ' ')
              FROM %1$s.stream_queue AS q, %1$s.stream_drift_v1(q.id, 1000) AS d WHERE q.name = '%2$s'
            """
                .formatted(stage.schema, scene.queue()));
    String pending =
        stage.query(
            """
            SELECT count(*) FROM %1$s.stream_queue AS q
              JOIN %1$s.stream_cursor AS c ON c.queue_id = q.id
              JOIN %1$s.stream_message AS m
                ON m.queue_id = q.id AND m.partition_id = c.partition_id AND m.off > c.committed
             WHERE q.name = '%2$s'
            """
                .formatted(stage.schema, scene.queue()));
    assertThat(drift).isNull();
    assertThat(tally.pending()).isEqualTo(Long.parseLong(String.valueOf(pending)));
    return tally.lost();
  }

  /** Reads everything to the end, and passes if that is what a stream promises. */
  private static void drain(StreamScene scene, long dropped) throws SQLException {
    StreamHistory history = new StreamHistory();
    String from =
        "FROM %1$s.stream_message AS m JOIN %1$s.stream_partition AS p ON p.queue_id = m.queue_id"
            + " AND p.id = m.partition_id";
    String known =
        stage.query(
            ("SELECT string_agg(p.name || '=' || m.off, ' ') " + from).formatted(stage.schema));
    for (String message : String.valueOf(known).split(" ")) {
      if (message.contains("=")) {
        String[] parts = message.split("=");
        history.pushed(parts[0], Long.parseLong(parts[1]));
      }
    }
    assertThat(dropped).isNotNegative();
    Popped popped = pop(scene.store(), scene.request());
    while (!popped.isEmpty()) {
      Instant now = Instant.ofEpochMilli(stage.time.nowMs());
      for (Batch batch : popped.batches()) {
        Batch.Held lease = Objects.requireNonNull(batch.lease());
        ClaimKey key = new ClaimKey(GROUP, batch.partition(), lease.fence());
        List<Long> offsets =
            batch.deliveries().stream().map(d -> d.message().place().offset()).toList();
        assertThat(offsets).isSorted().doesNotHaveDuplicates();
        history.claimed(key, offsets, now, lease.expiresAt());
        offsets.forEach(offset -> history.settled(key, offset));
        history.released(key);
      }
      scene.seen.addAll(StreamScene.texts(popped));
      scene.store().leases().ack(popped.ackAll(Verdict.COMPLETED), CALL);
      popped = pop(scene.store(), scene.request());
    }
    assertThat(scene.seen).doesNotHaveDuplicates();
  }

  private static Entry once(StreamScene scene, String partition, String text) {
    return new Entry(scene.queue(), partition, Payload.of(text), false, text, null, null);
  }

  private static long deadLetters(StreamScene scene) {
    return scene.store().deadLetters().list(DeadLetterQuery.of(scene.queue()), CALL).size();
  }

  @Test
  @Guarantee("SF11")
  void a_push() throws Exception {
    survives(
        (scene, store) ->
            store.log().push(List.of(once(scene, "p", "x"), once(scene, "new", "y")), CALL),
        7);
  }

  @Test
  @Guarantee("SF11")
  void a_pop() throws Exception {
    survives((scene, store) -> pop(store, scene.request().partitions(5)), 5);
  }

  @Test
  @Guarantee("SF11")
  void an_ack() throws Exception {
    survives((scene, store) -> store.leases().ack(scene.held().ackAll(Verdict.COMPLETED), CALL), 5);
  }

  @Test
  @Guarantee("SF11")
  void a_transaction() throws Exception {
    survives(
        (scene, store) ->
            store
                .log()
                .transact(
                    List.of(once(scene, "q", "x")),
                    scene.held().ackAll(Verdict.COMPLETED),
                    Set.of(),
                    CALL),
        6);
  }

  @Test
  @Guarantee("SF11")
  void a_redrive() throws Exception {
    survives(
        (scene, store) -> {
          List<DeadLetter> letters =
              store.deadLetters().list(DeadLetterQuery.of(scene.queue()), CALL);
          for (DeadLetter letter : letters) {
            store.deadLetters().redrive(letter.id(), Redrive.BACK, false, CALL);
          }
          assertThat(deadLetters(scene)).isZero();
          return letters;
        },
        6);
  }

  @Test
  @Guarantee("SF11")
  void retention() throws Exception {
    survives(
        (scene, store) -> {
          stage.time.advance(AGES);
          int dropped = 1;
          while (dropped > 0) {
            dropped = store.upkeep().retain(CALL);
          }
          return dropped;
        },
        5);
  }
}
