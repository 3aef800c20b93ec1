package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryStore;
import io.holdfast.postgres.DifferentialQueueOp.Question;
import io.holdfast.queue.QueueException;
import io.holdfast.testkit.ManualTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.statistics.Statistics;
import org.jspecify.annotations.Nullable;

/**
 * The memory store and PostgreSQL, asked the same about queues under one clock, give the same
 * answers: random sequences of operations on a few queues and items, at the moments where a
 * millisecond decides. A sequence on which they differ is cut down to the operations that matter.
 *
 * <p>A sequence proves little if its operations never meet. So the kinds of answers are counted,
 * and too few of any expected kind fail the test. The seed is fixed, so that each run makes the
 * same sequences; take it out to explore others.
 */
class DifferentialQueueTest {
  private static final int TRIES = 450;
  private static final int LONGEST = 150;
  private static final int ENOUGH = 20;
  private static final List<String> OUTCOMES =
      Stream.of(
              "add:added|exists|bad",
              "update:changed|bad|no queue",
              "get:queue|nothing",
              "list queues:some|none",
              "delete queue:empty|with items|not empty|in use|absent",
              "pause:done|again|no queue",
              "resume:done|again|no queue",
              "produce:ready|scheduled|both|no queue",
              "lease:some|none|paused|all expired|no queue",
              "extend:done|NOT_FOUND|NOT_LEASED|LAPSED|some of the requests|no queue",
              "hand back:some|none",
              "complete:done|late|NOT_FOUND|NOT_LEASED|some of the requests|no queue",
              "retry:again|later|dead|exhausted|expired|dead without dead queue"
                  + "|exhausted without dead queue|expired without dead queue"
                  + "|NOT_FOUND|NOT_LEASED|some of the requests|no queue",
              "sweep schedules:QUEUE_SCHEDULED|ready|moved|removed|nothing",
              "sweep actions:LEASE_EXPIRED|MAX_ATTEMPTS|ITEM_EXPIRED|ready|moved|removed|nothing",
              "scan schedules:some|none",
              "scan actions:some|none",
              "take kept:ready|moved|removed|nothing",
              "take forged:ready|moved|removed|nothing",
              "info:lease|expiry|schedule|nothing",
              "infos:lease|expiry|schedule|nothing",
              "probe:true|false",
              "list:some|none",
              "list from:some",
              "list scheduled:some|none",
              "list scheduled from:some|none",
              "stats:leased|none leased|scheduled|none scheduled|ready|none ready",
              "count ready:some|none|capped",
              "import:ready|leased|scheduled|known|bad",
              "delete:some|none",
              "clear :refused",
              "clear d:refused",
              "clear q:some|none",
              "clear s:some|none",
              "clear qs:some|none",
              "clear qd:some|none",
              "clear sd:some|none",
              "clear qsd:some|none",
              "redrive:moved|none moved|skipped|none skipped")
          .flatMap(DifferentialQueueTest::each)
          .toList();
  private static final List<String> PLACES =
      Stream.of(
              "produce ahead :99|100|101",
              "retry ahead :99|100|101",
              "lease at expiry :-1|+0|+1",
              "retry at expiry :-1|+0|+1",
              "complete at deadline :-1|+0|+1",
              "extend at deadline :-1|+0|+1",
              "sweep schedules at schedule :-1|+0|+1",
              "sweep actions at deadline :-1|+0|+1",
              "sweep actions at expiry :-1|+0|+1")
          .flatMap(DifferentialQueueTest::each)
          .map(place -> place.replace(":", ""))
          .toList();

  private static final ManualTime TIME = new ManualTime();
  private static final String SCHEMA = TestDatabase.unique("dq");
  private static @Nullable PostgresStore postgres;
  private static @Nullable Connection emptying;

  /** Nothing here survives a crash of the server, so commits need not wait for the disk. */
  @BeforeContainer
  static void open() throws SQLException {
    String url = TestDatabase.url("options=-c%20synchronous_commit=off");
    emptying = DriverManager.getConnection(url);
    PostgresOptions options = PostgresOptions.DEFAULTS.withTime(TIME).withQueueSchema(SCHEMA);
    postgres = new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
    postgres.queues().catalog().versions(DifferentialQueueSide.CALL);
  }

  @AfterContainer
  static void close() throws SQLException {
    if (postgres != null && emptying != null) {
      postgres.close();
      emptying.close();
      TestDatabase.execute("DROP SCHEMA " + SCHEMA + " CASCADE");
    }
  }

  @Property(tries = TRIES, seed = "20261116", edgeCases = EdgeCasesMode.NONE)
  void both_stores_give_the_same_answers(@ForAll("sequences") List<DifferentialQueueOp> sequence)
      throws SQLException {
    empty();
    DifferentialQueueSide here = new DifferentialQueueSide(new MemoryStore(TIME).queues());
    DifferentialQueueSide there = new DifferentialQueueSide(postgres.queues());
    DifferentialQueueModel model = new DifferentialQueueModel(here, TIME);
    for (int place : List.of(1, 0, 2)) {
      for (DifferentialQueueSide side : List.of(here, there)) {
        side.created(
            side.backend
                .catalog()
                .add(DifferentialQueueCatalog.first(place), DifferentialQueueSide.CALL));
      }
    }

    for (DifferentialQueueOp op : sequence) {
      Question question = op.ask(model);
      if (question != null) {
        Object expected = compare(question, op.makesIds(), here, there);
        question.outcome().apply(expected).forEach(Statistics.label("outcome")::collect);
        question.places().forEach(Statistics.label("place")::collect);
      }
    }

    everything().forEach(question -> compare(question, false, here, there));
    enough("outcome", OUTCOMES, ENOUGH);
    enough("place", PLACES, ENOUGH / 4);
  }

  private static Object compare(
      Question question,
      boolean makesIds,
      DifferentialQueueSide here,
      DifferentialQueueSide there) {
    Object expected = question.answer(here);
    Object actual = question.answer(there);
    if (makesIds && !(expected instanceof QueueException)) {
      DifferentialQueueModel.QUEUES.forEach(here::learn);
      there.learnAs(here);
    }
    assertThat(there.plain(actual)).as(question.what()).isEqualTo(here.plain(expected));
    return expected;
  }

  private static void enough(String label, List<String> expected, int times) {
    Statistics.label(label)
        .coverage(
            coverage ->
                expected.forEach(
                    name -> coverage.check(name).count((Integer count) -> count >= times)));
  }

  /** What is stored, wherever it was not asked for. */
  private static List<Question> everything() {
    List<Question> all = new ArrayList<>();
    for (String queue : DifferentialQueueModel.QUEUES) {
      all.add(
          new Question(
              "afterwards " + queue,
              side -> side.backend.catalog().get(queue, DifferentialQueueSide.CALL),
              answer -> List.of()));
      for (int number = 0; number < (queue.equals("wide") ? 2 : 1); number++) {
        int partition = number;
        all.add(
            new Question(
                "afterwards items of " + queue + partition,
                side -> side.items(queue, partition),
                answer -> List.of()));
      }
    }
    return all;
  }

  /** Quicker than new tables, or than truncating these. */
  private static void empty() throws SQLException {
    try (Statement statement = emptying.createStatement()) {
      List<String> tables = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT tablename FROM pg_tables WHERE schemaname = '" + SCHEMA + "'")) {
        while (rows.next()) {
          tables.add(rows.getString(1));
        }
      }
      for (String table : tables) {
        if (table.startsWith("items_") || table.equals("queues")) {
          statement.addBatch("DELETE FROM %s.\"%s\"".formatted(SCHEMA, table));
        }
      }
      statement.executeBatch();
    }
  }

  private static Stream<String> each(String line) {
    String what = line.substring(0, line.indexOf(':') + 1);
    return Stream.of(line.substring(what.length()).split("\\|")).map(kind -> what + kind);
  }

  @Provide
  Arbitrary<List<DifferentialQueueOp>> sequences() {
    return DifferentialQueueOp.sequences(LONGEST);
  }
}
