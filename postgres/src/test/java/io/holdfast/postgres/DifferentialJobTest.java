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
  private static final int TRIES = 300;
  private static final int OTHER_TRIES = 40;
  private static final int LONGEST = 200;
  private static final int ENOUGH = 20;
  private static final List<String> OUTCOMES =
      Stream.of(
              "enqueue:DUPLICATE_JOB_ID|DUPLICATE_JOB_ID in a batch|GATED|READY|SCHEDULED|batch"
                  + "|existed|keys|no keys|not runnable|runnable",
              "reserve:again|full|look again|next|no next|none|paused|put away CANCELLED"
                  + "|put away DLQ|several queues|short|some",
              "exchange:again|full|look again|next|no next|none|paused|put away CANCELLED"
                  + "|put away DLQ|several queues|short|some",
              "exchange ack:JOB_NOT_INFLIGHT|LEASE_EXPIRED|LEASE_MISMATCH|done|repeated",
              "exchange other:JOB_NOT_INFLIGHT|LEASE_EXPIRED|LEASE_MISMATCH|done|repeated",
              "exchange settle:keys|no keys|not runnable|runnable",
              "settle:keys|no keys|not runnable|runnable",
              "ack:JOB_NOT_INFLIGHT|LEASE_EXPIRED|LEASE_MISMATCH|done|repeated",
              "retry:JOB_NOT_INFLIGHT|LEASE_EXPIRED|LEASE_MISMATCH|cancelled|done",
              "fail:JOB_NOT_INFLIGHT|LEASE_EXPIRED|LEASE_MISMATCH|done|repeated",
              "release:JOB_NOT_INFLIGHT|LEASE_EXPIRED|LEASE_MISMATCH|done",
              "report:JOB_NOT_INFLIGHT|LEASE_EXPIRED|LEASE_MISMATCH|done|requested",
              "extend:JOB_NOT_INFLIGHT|LEASE_EXPIRED|LEASE_MISMATCH|done|requested",
              "beat:JOB_NOT_INFLIGHT|LEASE_EXPIRED|LEASE_MISMATCH|done|nobody|requested|worker",
              "is acked:false|true",
              "cancel:CANCELLED|FINISHED|NOT_FOUND|REQUESTED|keys|no keys",
              "requeue:CANCELLED|DLQ|JOB_NOT_FOUND|JOB_NOT_REQUEUEABLE|QUEUE_MISMATCH|SCHEDULED"
                  + "|keys|no keys|not runnable|runnable",
              "requeue dead:none|none spread|some|some of more|some of more spread|some spread",
              "purge dead:none|some|some of more",
              "pause:again|new",
              "resume:paused|running",
              "queues:all: none|all: some|one",
              "stats:no DLQ|no DONE|no GATED|no INFLIGHT|no READY|no SCHEDULED|no died|no"
                  + " finished|some DLQ|some DONE|some GATED|some INFLIGHT|some READY|some"
                  + " SCHEDULED|some died|some finished",
              "workers:none|some",
              "configure:limits|settings",
              "admit:no slot|none|some",
              "sweep:no slot|none|some",
              "tick:keys|next|no keys|no next|none|not runnable|one|runnable|several",
              "adopt:none",
              "retain:none|some",
              "forget:none|some",
              "put:new|replaced",
              "delete:absent|done",
              "enable:absent|done",
              "disable:absent|done",
              "trigger:absent|gated|runnable",
              "schedules:none|some",
              "find:CANCELLED|DLQ|DONE|GATED|INFLIGHT|READY|SCHEDULED|nothing",
              "list CANCELLED:none|page|pages",
              "list DLQ:none|page|pages",
              "list DUE:none|page|pages",
              "list FINISHED:none|page|pages",
              "list GATED:none|page|pages",
              "list INFLIGHT:none|page|pages",
              "list READY:none|page|pages",
              "list SCHEDULED:none|page|pages",
              "list SUCCEEDED:none|page|pages",
              "trace:none|some",
              "facts:CANCELLED|DLQ|DONE|GATED|INFLIGHT|READY|SCHEDULED|ahead|holders|known type"
                  + "|limit|no holders|no limit|no worker|none ahead|not paused|paused|unknown type"
                  + "|worker")
          .flatMap(DifferentialJobTest::each)
          .toList();

  /** Instants in microseconds are neared as closely, others by a millisecond. */
  private static final List<String> PLACES =
      Stream.of(
              "retain at dead keep :+0us|+1ms|-1ms",
              "retain at done keep :+0us|+1ms|-1ms",
              "find at due :+0us|+1us|-1us",
              "list at due :+0us|+1us|-1us",
              "requeue at due :+0us|+1us|-1us",
              "reserve at due :+0us|+1us|-1us",
              "stats at due :+0us|+1us|-1us",
              "forget at forgotten :+0us|+1ms|-1ms",
              "admit at gate :+0us|+1us|-1us",
              "sweep at gate :+0us|+1us|-1us",
              "tick at late :+0us|+1ms|-1ms",
              "ack at lease :+0us|+1us|-1us",
              "beat at lease :+0us|+1us|-1us",
              "extend at lease :+0us|+1us|-1us",
              "facts at lease :+0us|+1us|-1us",
              "fail at lease :+0us|+1us|-1us",
              "release at lease :+0us|+1us|-1us",
              "report at lease :+0us|+1us|-1us",
              "reserve at lease :+0us|+1us|-1us",
              "retry at lease :+0us|+1us|-1us",
              "stats at minute :+0us|+1ms|-1ms",
              "tick at slot :+0us|+1ms|-1ms",
              "facts at worker :+0us|+1ms|-1ms")
          .flatMap(DifferentialJobTest::each)
          .map(place -> place.replace(":", ""))
          .toList();

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
