package io.holdfast.postgres;

import static io.holdfast.postgres.StreamScene.CALL;
import static io.holdfast.postgres.StreamScene.GROUP;
import static io.holdfast.postgres.StreamScene.pop;
import static io.holdfast.postgres.StreamScene.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.postgres.StreamScene.Move;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Position;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two calls at a time, in every order of their points: a push against everything that may say
 * "nothing is pending" never leaves a message that nobody is told of.
 */
@Timeout(120)
class StreamInterleavingTest {
  private static final Logger LOG = LoggerFactory.getLogger(StreamInterleavingTest.class);
  private static final Move PUSH = (scene, store) -> scene.push(store, "p", "new");
  private static final Move DRAIN =
      (scene, store) -> store.leases().ack(scene.held().ackAll(Verdict.COMPLETED), CALL);
  private static StreamStage stage;

  @BeforeAll
  static void set_the_stage() throws SQLException {
    stage = new StreamStage();
  }

  @AfterAll
  static void clear_the_stage() throws SQLException {
    stage.close();
  }

  private static StreamScene scene(StreamScene.Situation situation, Move first, Move second) {
    return new StreamScene(stage, situation, first, second);
  }

  /** Each actor is stopped at each of its points while the other is at each of its own. */
  private static void all(StreamScene scene) throws SQLException {
    int schedules = new StreamSchedules(scene.stage, 2).run(scene);
    LOG.info("{} schedules", schedules);
    assertThat(schedules).as("orders that differ").isGreaterThan(5);
  }

  private static void holdOld(StreamScene scene) {
    scene.push("old");
    scene.hold(scene.pop());
  }

  @Test
  @Guarantee("SF1")
  void a_push_and_a_draining_ack_in_every_order_there_is() throws Exception {
    StreamScene scene =
        scene(StreamInterleavingTest::holdOld, PUSH, DRAIN).leadingTo(List.of("new"));

    int schedules = new StreamSchedules(stage, Integer.MAX_VALUE).run(scene);

    LOG.info("{} schedules", schedules);
    assertThat(schedules).isGreaterThan(100);
  }

  @Test
  @Guarantee("SF1")
  void a_push_and_a_transaction_that_drains() throws Exception {
    Move transact =
        (scene, store) ->
            store
                .log()
                .transact(
                    List.of(scene.entry("another", "more")),
                    scene.held().ackAll(Verdict.COMPLETED),
                    Set.of(),
                    CALL);
    all(
        scene(StreamInterleavingTest::holdOld, PUSH, transact)
            .leadingTo(List.of("new", "more"), List.of("more", "new")));
  }

  @Test
  @Guarantee("SF1")
  void a_push_and_a_pop_that_settles_what_it_takes() throws Exception {
    Move take = (scene, store) -> pop(store, scene.request().batch(1).autoAck(true));
    all(
        scene(
                scene -> {
                  scene.configure(scene.config());
                  pop(scene.store(), scene.request());
                  scene.push("old");
                },
                PUSH,
                take)
            .leadingTo(List.of("new")));
  }

  @Test
  @Guarantee("SF1")
  void a_push_and_the_skipping_of_a_parked_head() throws Exception {
    Move skip =
        (scene, store) ->
            store.leases().unpark(new CursorKey(scene.queue(), "p", GROUP), true, CALL);
    all(
        scene(
                scene -> {
                  scene.push("old");
                  scene.hold(scene.pop());
                  scene.store().leases().ack(scene.held().ackAll(Verdict.PARK), CALL);
                },
                PUSH,
                skip)
            .leadingTo(List.of("new")));
  }

  @Test
  @Guarantee("SF1")
  void a_redrive_and_a_draining_ack() throws Exception {
    Move redrive =
        (scene, store) ->
            store
                .deadLetters()
                .redrive(
                    store.deadLetters().list(DeadLetterQuery.of(scene.queue()), CALL).get(0).id(),
                    Redrive.BACK,
                    false,
                    CALL);
    all(
        scene(
                scene -> {
                  scene.push("dead");
                  scene.store().leases().ack(scene.pop().ackAll(Verdict.DEAD_LETTER), CALL);
                  holdOld(scene);
                },
                redrive,
                DRAIN)
            .leadingTo(List.of("dead")));
  }

  @Test
  @Guarantee("SF2")
  void a_push_and_the_seeding_of_a_new_group() throws Exception {
    Move seed = (scene, store) -> pop(store, scene.request());
    all(
        scene(scene -> scene.configure(scene.config()), inDefault("new"), seed)
            .leadingTo(List.of("new")));
  }

  private static Move inDefault(String text) {
    return (scene, store) -> scene.push(store, "Default", text);
  }

  @Test
  @Guarantee("SF2")
  void a_push_and_a_seek_to_the_end() throws Exception {
    Move seek =
        (scene, store) -> store.groups().seek(scene.queue(), GROUP, "p", Position.END, CALL);
    all(scene(StreamInterleavingTest::holdOld, PUSH, seek).leadingTo(List.of("new"), List.of()));
  }

  @Test
  @Guarantee("SF2")
  void a_push_and_a_pop_that_finds_nothing() throws Exception {
    Move repair = (scene, store) -> pop(store, scene.request());
    all(
        scene(
                scene -> {
                  holdOld(scene);
                  DRAIN.make(scene, scene.store());
                  stage.execute(
                      """
                      UPDATE %1$s.stream_cursor AS c SET ready_at = c.last_ack_at
                        FROM %1$s.stream_queue AS q
                       WHERE q.name = '%2$s' AND c.queue_id = q.id AND c.ready_at IS NULL
                      """
                          .formatted(stage.schema, scene.queue()));
                },
                PUSH,
                repair)
            .leadingTo(List.of("new")));
  }

  @Test
  @Guarantee("SF2")
  void a_push_and_retention_that_drops_what_is_unread() throws Exception {
    Move retain = (scene, store) -> store.upkeep().retain(CALL);
    all(
        scene(
                scene -> {
                  scene.configure(
                      scene
                          .config()
                          .with(StreamOption.RETENTION_ENABLED, true)
                          .with(StreamOption.RETENTION, 60));
                  scene.push("old");
                  pop(scene.store(), scene.request().partition("Default"));
                  stage.time.advance(Duration.ofMinutes(2));
                },
                PUSH,
                retain)
            .leadingTo(List.of("new"), List.of("old", "new")));
  }

  @Test
  @Guarantee("SF2")
  void a_push_and_the_deletion_of_a_group() throws Exception {
    Move delete = (scene, store) -> store.groups().delete(GROUP, scene.queue(), true, CALL);
    all(scene(StreamInterleavingTest::holdOld, PUSH, delete).leadingTo(List.of("old", "new")));
  }

  @Test
  @Guarantee({"SF2", "SF25"})
  void a_push_and_the_removal_of_an_idle_partition() throws Exception {
    Move purge = (scene, store) -> store.upkeep().purge(1, CALL);
    all(
        scene(
                scene -> {
                  scene.configure(scene.config());
                  pop(scene.store(), scene.request());
                  stage.time.advance(Duration.ofDays(2));
                },
                inDefault("new"),
                purge)
            .leadingTo(List.of("new")));
  }

  @Test
  @Guarantee("SF3")
  void two_pushes_to_a_partition_and_a_consumer_between_any_two_steps() throws Exception {
    Move other = (scene, store) -> scene.push(store, "p", "another");
    all(
        scene(scene -> scene.configure(scene.config()), PUSH, other)
            .watchedBy(
                scene ->
                    scene.seen.addAll(texts(pop(scene.store(), scene.request().autoAck(true)))))
            .leadingTo(List.of("new", "another"), List.of("another", "new")));
  }

  @Test
  @Guarantee("SF5")
  void a_group_that_registers_while_a_partition_is_made() throws Exception {
    Move register = (scene, store) -> pop(store, scene.request());
    all(scene(scene -> scene.configure(scene.config()), PUSH, register).leadingTo(List.of("new")));
  }

  @Test
  @Guarantee("SF6")
  void two_first_pops_of_a_group() throws Exception {
    Move first =
        (scene, store) -> scene.seen.addAll(texts(pop(store, scene.request().autoAck(true))));
    all(scene(scene -> scene.push("old"), first, first).leadingTo(List.of("old")));
  }

  /** Whether this test can fail: where the head is read before the lock, it must. */
  @Test
  @Guarantee("SF1")
  void a_store_that_looks_before_it_locks_is_found_out() throws Exception {
    try (StreamStage broken = new StreamStage()) {
      broken.execute(
          """
          CREATE OR REPLACE FUNCTION %1$s.stream_rest_v1(
            p_now timestamptz, p_queue integer, p_partition bigint, p_sub bigint, p_committed bigint, p_marks integer,
            p_base timestamptz, p_may_lock boolean, OUT committed bigint, OUT ready_at timestamptz)
          LANGUAGE plpgsql AS $$
          DECLARE
            head record;
          BEGIN
            committed := p_committed;
            head := %1$s.stream_head_v1(p_queue, p_partition, p_sub, p_committed, p_marks);
            PERFORM %1$s.pause_point('rest:lock');
            PERFORM FROM %1$s.stream_partition
              WHERE queue_id = p_queue AND id = p_partition FOR NO KEY UPDATE SKIP LOCKED;
            IF head.off IS NOT NULL OR NOT FOUND THEN
              ready_at := p_now;
            END IF;
          END $$
          """
              .formatted(broken.schema));
      StreamScene scene =
          new StreamScene(broken, StreamInterleavingTest::holdOld, PUSH, DRAIN)
              .leadingTo(List.of("new"));

      StreamSchedules.Wrong wrong =
          catchThrowableOfType(StreamSchedules.Wrong.class, () -> all(scene));

      assertThat(wrong).hasMessageContaining("messages that nobody will find");
    }
  }
}
