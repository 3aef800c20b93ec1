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
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.statistics.Statistics;
import org.jspecify.annotations.Nullable;

/**
 * The memory store and PostgreSQL, asked the same about streams under one clock, give the same
 * answers: random sequences of operations on a few queues, partitions and groups, at the moments
 * where a millisecond decides. A sequence on which they differ is cut down to the operations that
 * matter.
 *
 * <p>A sequence proves little if its operations never meet. So the kinds of answers are counted,
 * and too few of any expected kind fail the test. The seed is fixed, so that each run makes the
 * same sequences; take it out to explore others.
 */
class DifferentialStreamTest {
  private static final int TRIES = 300;
  private static final int LONGEST = 200;
  private static final int ENOUGH = 20;
  private static final List<String> OUTCOMES =
      Stream.of(
              "configure:made|changed",
              "delete queue:done|absent",
              "find queue:queue|nothing",
              "list queues:some|none",
              "partitions:some|none",
              "pause push:one|all",
              "pause pop:one|all",
              "resume push:one|all|QUEUE_NOT_FOUND",
              "resume pop:one|all|QUEUE_NOT_FOUND",
              "paused all:none",
              "push:QUEUED|DUPLICATE|limited|repeated in the call|queue made|wrong form"
                  + "|PAUSED|QUEUE_FULL",
              "pop:some|several partitions|settled|second time|third time|first contact"
                  + "|nothing|nothing yet",
              "pop by labels:some|second time|several partitions|first contact|nothing",
              "pop many:some|first contact|nothing|nothing yet",
              "ack COMPLETED:done|again|released|still held|LEASE_LOST|UNRESOLVABLE"
                  + "|INVALID_ARGUMENT|REWOUND",
              "ack FAILED:done|again|dead|released|still held|LEASE_LOST|UNRESOLVABLE"
                  + "|INVALID_ARGUMENT|ALREADY_COMMITTED",
              "ack RETRY:done|again|released|LEASE_LOST|UNRESOLVABLE|INVALID_ARGUMENT"
                  + "|ALREADY_COMMITTED",
              "ack DEAD_LETTER:dead|again|released|still held|LEASE_LOST|UNRESOLVABLE"
                  + "|ALREADY_COMMITTED",
              "ack PARK:done|again|released|LEASE_LOST|UNRESOLVABLE|INVALID_ARGUMENT"
                  + "|ALREADY_COMMITTED",
              "ack by transaction id:done|again|dead|released|still held|LEASE_LOST|UNRESOLVABLE"
                  + "|INVALID_ARGUMENT|ALREADY_COMMITTED",
              "ack without lease:done|released|LEASE_LOST|UNRESOLVABLE|ALREADY_COMMITTED",
              "ack:ready now|ready later",
              "ack and pop:some|nothing|nothing yet",
              "extend:one|several|lost",
              "release:one|several|lost",
              "transact:acks|entries|both|without lease|QUEUED|DUPLICATE|limited"
                  + "|repeated in the call|PAUSED|QUEUE_FULL|wrong form|refused LEASE_LOST"
                  + "|refused ALREADY_COMMITTED|refused UNRESOLVABLE",
              "seek:all to BEGIN|all to END|all to TIMESTAMP|all to OFFSET|one to BEGIN|one to END"
                  + "|one to TIMESTAMP|one to OFFSET|QUEUE_NOT_FOUND|PARTITION_NOT_FOUND"
                  + "|GROUP_NOT_FOUND",
              "seed:true",
              "delete group:gone|gone everywhere|kept|kept everywhere|none|QUEUE_NOT_FOUND",
              "start at:some|none",
              "groups:some|none",
              "cursors:some|none",
              "park:done|QUEUE_NOT_FOUND|PARTITION_NOT_FOUND|GROUP_NOT_FOUND",
              "unpark:done|skipped|not parked|QUEUE_NOT_FOUND|PARTITION_NOT_FOUND|GROUP_NOT_FOUND",
              "revoke:done|another fence|not held",
              "list dead:some|none",
              "dead:VERDICT|RETRY_LIMIT|DELIVERY_LIMIT|MAX_WAIT|SKIPPED",
              "get dead:some|none",
              "purge dead:some|none",
              "redrive:MOVED|GONE|FULL|edited|as it was|to all groups|to its group|back|to a queue",
              "messages:some|none|QUEUE_NOT_FOUND|PARTITION_NOT_FOUND",
              "status:PENDING|PROCESSING|COMPLETED|DEAD_LETTER",
              "message:some|none",
              "find:some|none",
              "by trace:some|none",
              "delete message:done|absent",
              "record:some|none",
              "traces:some|none",
              "traces named:some|none",
              "depths:some|QUEUE_NOT_FOUND",
              "leases:some|none",
              "utilization:some",
              "stuck:EXPIRING|EXPIRED|RETRYING|PARKED|none",
              "dropped:AGE lost|COMPLETED|MAX_WAIT|MAX_WAIT lost|none",
              "explain:PAUSED|UNSEEDED|PARKED|LEASED|IDLE|RETRYING|DELAYED|WINDOW|READY"
                  + "|QUEUE_NOT_FOUND|PARTITION_NOT_FOUND",
              "tally:plain|expired|lost|QUEUE_NOT_FOUND|GROUP_NOT_FOUND",
              "retain:some|none",
              "upkeep seed:some|none",
              "purge:done",
              "count:done")
          .flatMap(DifferentialStreamTest::each)
          .toList();
  private static final List<String> PLACES =
      Stream.of(
              "pop at lease :-1|+0|+1",
              "ack at lease :-1|+0|+1",
              "extend at lease :-1|+0|+1",
              "release at lease :-1|+0|+1",
              "revoke at lease :-1|+0|+1",
              "explain at lease :-1|+0|+1",
              "pop at delay :-1|+0|+1",
              "explain at delay :-1|+0|+1",
              "pop at window :-1|+0|+1",
              "explain at window :-1|+0|+1",
              "pop at retry :-1|+0|+1",
              "explain at retry :-1|+0|+1",
              "pop at max wait :-1|+0|+1",
              "retain at max wait :-1|+0|+1",
              "retain at age :-1|+0|+1",
              "retain at completed :-1|+0|+1",
              "push at dedup :-1|+0|+1",
              "push at silence :-1|+0|+1",
              "look at silence :-1|+0|+1",
              "pop and look at seen :-1|+0|+1",
              "purge at idle :-1|+0|+1",
              "purge at notes :-1|+0|+1",
              "purge at drops :-1|+0|+1",
              "seek to a message :-1|+0|+1")
          .flatMap(DifferentialStreamTest::each)
          .map(place -> place.replace(":", ""))
          .toList();

  private static final ManualTime TIME = new ManualTime();
  private static @Nullable DifferentialStreamDatabase database;

  @BeforeContainer
  static void open() throws SQLException {
    database = new DifferentialStreamDatabase(TIME);
  }

  @AfterContainer
  static void close() throws SQLException {
    if (database != null) {
      database.close();
    }
  }

  @Property(tries = TRIES, seed = "20261116", edgeCases = EdgeCasesMode.NONE)
  void both_stores_give_the_same_answers(@ForAll("sequences") List<DifferentialStreamOp> sequence)
      throws SQLException {
    new DifferentialStreamRun(
            database.empty(), TIME, (label, met) -> Statistics.label(label).collect(met))
        .run(sequence);

    enough("outcome", OUTCOMES, ENOUGH);
    enough("place", PLACES, ENOUGH / 4);
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
  Arbitrary<List<DifferentialStreamOp>> sequences() {
    return DifferentialStreamOp.sequences(LONGEST);
  }
}
