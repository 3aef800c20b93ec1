package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockCall;
import io.holdfast.memory.MemoryStore;
import io.holdfast.postgres.DifferentialOp.Inspect;
import io.holdfast.postgres.DifferentialOp.Listing;
import io.holdfast.postgres.DifferentialOp.Stats;
import io.holdfast.testkit.ManualTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.statistics.Statistics;
import org.jspecify.annotations.Nullable;

/**
 * The memory store and PostgreSQL, asked the same under one clock, give the same answers: random
 * sequences of operations on a few keys, ids and waiters, at the moments where a millisecond
 * decides. A sequence on which they differ is cut down to the operations that matter.
 *
 * <p>A sequence proves little if its operations never meet. So the kinds of answers are counted,
 * and too few of any expected kind fail the test. The seed is fixed, so that each run makes the
 * same sequences; take it out to explore others.
 */
class DifferentialLockTest {
  private static final int TRIES = 700;
  private static final int LONGEST = 80;
  private static final int ENOUGH = 20;
  private static final List<String> OUTCOMES =
      Stream.of(
              "acquire:granted|taken over|granted to a waiter|replayed|refused"
                  + "|refused with a ticket|refused by fairness|overflow|exhausted"
                  + "|callers id in use|new id in use",
              "release:released|released and woken|not found|expired",
              "extend:renewed|renewed to the limit|not found|expired|overflow",
              "extend many:renewed|renewed to the limit|not found|expired",
              "find by key:live|dead|absent",
              "find by id:live|dead|absent",
              "remove stale:true|false|absent",
              "leave:others|none",
              "list:some|none",
              "inspect:row|no row|row and waiters|no row and waiters",
              "break:done|done and woken|wrong fence|absent",
              "raise fences:some|none",
              "purge:some|none",
              "stats:live|expired|counters|waiters")
          .flatMap(DifferentialLockTest::each)
          .toList();
  private static final List<String> PLACES =
      Stream.of(
              "acquire at expiry :-1|+0|+1|+999|+1000|+1001|+1999|+2000|+2001",
              "release at expiry :-1|+0|+1|+999|+1000|+1001",
              "extend at expiry :-1|+0|+1|+999|+1000|+1001",
              "extend many at expiry :-1|+0|+1|+999|+1000|+1001",
              "find at expiry :+999|+1000|+1001",
              "list at expiry :+999|+1000|+1001",
              "stats at expiry :+999|+1000|+1001",
              "remove stale at expiry :+1999|+2000|+2001",
              "purge at expiry :+1999|+2000|+2001",
              "fair at a ticket's end :-1|+0|+1",
              "wake at a ticket's end :-1|+0|+1",
              "break at a ticket's end :-1|+0|+1",
              "leave at a ticket's end :-1|+0|+1")
          .flatMap(DifferentialLockTest::each)
          .map(place -> place.replace(":", ""))
          .toList();

  private static final ManualTime TIME = new ManualTime();
  private static final LockTables TABLES = TestDatabase.freshTables();
  private static @Nullable PostgresStore postgres;
  private static @Nullable Connection emptying;

  @BeforeContainer
  static void open() throws SQLException {
    emptying = DriverManager.getConnection(TestDatabase.url());
    PostgresOptions options = PostgresOptions.DEFAULTS.withTime(TIME).withLockTables(TABLES);
    ConnectionString where = ConnectionString.parse(TestDatabase.url());
    postgres = new PostgresStore(Pools.open(where, options.pool()), options);
    postgres.locks().store().setup(LockCall.plain());
    for (String table : List.of(TABLES.table(), TABLES.fenceTable())) {
      TestDatabase.execute("ALTER TABLE %s.%s SET UNLOGGED".formatted(TABLES.schema(), table));
    }
  }

  @AfterContainer
  static void close() throws SQLException {
    if (postgres != null && emptying != null) {
      postgres.close();
      emptying.close();
      TestDatabase.execute("DROP SCHEMA " + TABLES.schema() + " CASCADE");
    }
  }

  @Property(tries = TRIES, seed = "20261115", edgeCases = EdgeCasesMode.NONE)
  void both_stores_give_the_same_answers(
      @ForAll("start") long startMs, @ForAll("sequences") List<DifferentialOp> sequence)
      throws SQLException {
    LockBackend here = new MemoryStore(TIME).locks();
    LockBackend there = postgres.locks();
    empty();
    TIME.stepDatabase(startMs - TIME.nowMs());
    DifferentialModel model = new DifferentialModel(here, TIME);

    for (DifferentialOp op : sequence) {
      DifferentialOp.Question question = op.ask(model);
      if (question != null) {
        Object expected = question.answer(here);
        assertThat(question.answer(there)).as("%s", op).isEqualTo(expected);
        count("outcome", question.outcome().apply(expected));
        count("place", question.places());
      }
    }

    for (DifferentialOp last : everything()) {
      DifferentialOp.Question question = last.ask(model);
      assertThat(question.answer(there)).as("afterwards %s", last).isEqualTo(question.answer(here));
    }
    enough("outcome", OUTCOMES, ENOUGH);
    enough("place", PLACES, ENOUGH / 4);
  }

  private static void count(String label, List<String> seen) {
    seen.forEach(Statistics.label(label)::collect);
  }

  private static void enough(String label, List<String> expected, int times) {
    Statistics.label(label)
        .coverage(
            coverage ->
                expected.forEach(
                    name -> coverage.check(name).count((Integer count) -> count >= times)));
  }

  /** What is stored, wherever it was not asked for. */
  private static List<DifferentialOp> everything() {
    List<DifferentialOp> all = new ArrayList<>(List.of(new Stats(), new Listing("", null, 100)));
    IntStream.range(0, DifferentialModel.KEYS.size()).mapToObj(Inspect::new).forEach(all::add);
    return all;
  }

  /** Quicker than new tables, or than truncating these: a try takes little more than its calls. */
  private static void empty() throws SQLException {
    try (Statement statement = emptying.createStatement()) {
      statement.execute(TestDatabase.emptyingLocks(String.valueOf(TABLES.schema())));
    }
  }

  private static Stream<String> each(String line) {
    String what = line.substring(0, line.indexOf(':') + 1);
    return Stream.of(line.substring(what.length()).split("\\|")).map(kind -> what + kind);
  }

  /** Usually now, and sometimes so late that the largest ttl reaches beyond what can be stored. */
  @Provide
  Arbitrary<Long> start() {
    return Arbitraries.frequency(
        Tuple.of(1, ManualTime.START_MS), Tuple.of(1, DifferentialModel.FAR_MS));
  }

  @Provide
  Arbitrary<List<DifferentialOp>> sequences() {
    return DifferentialSequences.upTo(LONGEST);
  }
}
