package io.holdfast.benchmarks;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.QueueStats.ItemCounts;
import io.holdfast.queue.QueueStats.PartitionStats;
import io.holdfast.queue.TableHash;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Holds what a soak left behind against what it must have left behind. */
final class SoakCheck {
  private static final String DEAD =
      "(SELECT convert_from(payload, 'UTF8')::bigint AS number, dead_reason FROM holdfast.\"items_"
          + TableHash.of(Soak.DEAD_QUEUE)
          + "_0\") AS dead";

  private final PostgresHoldfast holdfast;
  private final Connection connection;
  private final PrintStream out;
  private boolean passes = true;

  SoakCheck(PostgresHoldfast holdfast, Connection connection, PrintStream out) {
    this.holdfast = holdfast;
    this.connection = connection;
    this.out = out;
  }

  /** Checks everything and answers whether all of it held. */
  boolean run(long produced) throws SQLException {
    long completed = number("SELECT count(*) FROM soak_completions");
    long dead = number("SELECT count(*) FROM " + DEAD);
    check("completed and dead items are those produced", produced, completed + dead);
    check(
        "items completed twice",
        0,
        completed - number("SELECT count(DISTINCT number) FROM soak_completions"));
    check("items dead twice", 0, dead - number("SELECT count(DISTINCT number) FROM " + DEAD));
    check(
        "items both completed and dead",
        0,
        number("SELECT count(*) FROM soak_completions JOIN " + DEAD + " USING (number)"));
    check(
        "items lost",
        0,
        number(
            "SELECT count(*) FROM generate_series(1, %d) AS made (number)".formatted(produced)
                + " WHERE NOT EXISTS (SELECT FROM soak_completions AS c WHERE c.number = made.number)"
                + " AND NOT EXISTS (SELECT FROM "
                + DEAD
                + " WHERE dead.number = made.number)"));
    check("items completed that nobody completes", 0, number(Soak.WRONG_COMPLETIONS));
    check(
        "attempts beyond the limit",
        0,
        number("SELECT count(*) FROM soak_completions WHERE attempts > " + Soak.MAX_ATTEMPTS));
    stats(dead);
    facts();
    return passes;
  }

  private void stats(long dead) {
    check("items that stats still counts", 0, counts(Soak.QUEUE).total());
    check("dead items in stats", dead, counts(Soak.DEAD_QUEUE).total());
    List<NewItem> ready = BenchQueue.items(10);
    List<NewItem> scheduled =
        BenchQueue.items(3).stream().map(i -> i.at(Instant.now().plusSeconds(3600))).toList();
    holdfast.queues().queue(Soak.QUEUE).produce(ready, BenchQueue.TIMEOUT);
    holdfast.queues().queue(Soak.QUEUE).produce(scheduled, BenchQueue.TIMEOUT);
    holdfast.queues().queue(Soak.QUEUE).lease(new LeaseRequest("check", 4, Duration.ofSeconds(5)));
    ItemCounts counts = counts(Soak.QUEUE);
    check("stats: ready and leased", 10, counts.total());
    check("stats: leased", 4, counts.leased());
    check("stats: scheduled", 3, counts.scheduled());
  }

  /** Over all partitions, of which there is one. */
  private ItemCounts counts(String queue) {
    PartitionStats partition = holdfast.queues().queue(queue).admin().stats().partitions().get(0);
    return partition.counts();
  }

  private void facts() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT 'completed at attempt ' || attempts, count(*) FROM soak_completions"
                    + " GROUP BY attempts UNION ALL SELECT 'dead, ' || dead_reason, count(*) FROM "
                    + DEAD
                    + " GROUP BY dead_reason ORDER BY 1")) {
      while (rows.next()) {
        out.println(Targets.text("      %s: %d", rows.getString(1), rows.getLong(2)));
      }
    }
  }

  void check(String what, long wanted, long found) {
    boolean holds = wanted == found;
    passes &= holds;
    out.println(
        Targets.text("%s  %s: %d", holds ? "ok  " : "FAIL", what, found)
            + (holds ? "" : " instead of " + wanted));
  }

  private long number(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
