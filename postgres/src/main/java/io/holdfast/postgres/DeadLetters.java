package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Changes;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.TableHash;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Moves items from this partition to another queue: to a dead queue, or from one back to where they
 * came from. The insert there and the delete here are one statement, so both happen or neither. An
 * item whose source id is there already is only deleted here.
 *
 * <p>The tables there must exist before a transaction begins to move: making one inside it would
 * hold everybody up, and finding one missing would end a caller's transaction.
 */
final class DeadLetters {
  private static final String MOVE =
      """
      WITH q AS MATERIALIZED (
        SELECT clock.at, clock.at + (expire_timeout_ns / 1000) * interval '1 microsecond' AS expire_at
          FROM {queues}, {now} WHERE name = ? AND state = 'active'),
      {tail},
      given AS MATERIALIZED (
        SELECT u.id, u.suffix, u.source_id, u.reason
          FROM unnest(?::text[], ?::text[], ?::text[], ?::text[]) AS u (id, suffix, source_id, reason)),
      gone AS (
        DELETE FROM {source}
         WHERE id = ANY (ARRAY(SELECT id FROM given)) AND EXISTS (SELECT FROM q)
        RETURNING id, max_attempts, reference, encoding, kind, payload),
      arrived AS (
        INSERT INTO {items} (id, source_id, expire_deadline, created_at, attempts, max_attempts,
                             reference, encoding, kind, payload, source_queue, dead_reason)
        SELECT tail.prefix || given.suffix, given.source_id, q.expire_at, q.at, 0, gone.max_attempts,
               gone.reference, gone.encoding, gone.kind, gone.payload, ?::text, given.reason
          FROM gone JOIN given USING (id) CROSS JOIN q CROSS JOIN tail
         ORDER BY given.suffix
        ON CONFLICT (source_id) WHERE source_id IS NOT NULL DO NOTHING
        RETURNING id)
      SELECT (SELECT count(*) FROM gone) AS removed, (SELECT count(*) FROM arrived) AS arrived,
             (SELECT min(id) FROM arrived) AS first
        FROM q
      """;

  private final PartitionContext context;

  DeadLetters(PartitionContext context) {
    this.context = context;
  }

  /** A queue that takes items, and how many partitions it has. */
  record Target(String queue, int partitions) {
    int partition(String id) {
      return TableHash.partition(id, partitions);
    }
  }

  /** Which items go, and why; a redrive has no reason and leaves no trace of where it was. */
  record Batch(List<String> ids, @Nullable List<String> reasons) {}

  /** What {@code outcome} leaves to be moved, and all that changed with it. */
  Changes bury(Watch watch, Outcome outcome) throws SQLException {
    if (outcome.deadQueue() == null || outcome.deadIds().isEmpty()) {
      return Changes.NONE;
    }
    Target target = new Target(outcome.deadQueue(), outcome.deadPartitions());
    return move(watch, target, new Batch(outcome.deadIds(), outcome.deadReasons()));
  }

  /** Moves a batch, each item to the partition that its id stands for. */
  Changes move(Watch watch, Target target, Batch batch) throws SQLException {
    Map<Integer, List<Integer>> byPartition = new TreeMap<>();
    for (int i = 0; i < batch.ids().size(); i++) {
      int partition = target.partition(batch.ids().get(i));
      byPartition.computeIfAbsent(partition, p -> new ArrayList<>()).add(i);
    }
    requireTables(watch, target, byPartition.keySet());
    Changes changes = Changes.NONE;
    for (Map.Entry<Integer, List<Integer>> part : byPartition.entrySet()) {
      changes = changes.plus(move(watch, target, part.getKey(), batch, part.getValue()));
    }
    return changes;
  }

  private Changes move(Watch watch, Target target, int partition, Batch batch, List<Integer> places)
      throws SQLException {
    QueueSql catalog = context.kernel.sql();
    String table = ItemTables.quoted(catalog.schema, target.queue(), partition);
    List<String> reasons = batch.reasons();
    List<String> ids = places.stream().map(batch.ids()::get).toList();
    List<@Nullable String> sources = new ArrayList<>();
    List<String> why = new ArrayList<>();
    for (int i : places) {
      sources.add(reasons == null ? null : batch.ids().get(i));
      why.add(reasons == null ? "" : reasons.get(i));
    }
    String sql = new ItemTemplate(catalog, table).fill(MOVE.replace("{source}", context.sql.table));
    try (PreparedStatement statement = watch.prepare(sql)) {
      Binds.of(statement)
          .now(context.kernel.time())
          .text(target.queue())
          .number(0)
          .texts(ids)
          .texts(context.kernel.suffixes().take(ids.size()))
          .texts(sources)
          .texts(why)
          .text(reasons == null ? "" : context.name());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw QueueException.retryable(
              "queue has changed; '" + target.queue() + "' takes no items any more", null);
        }
        return changes(row, target, partition);
      }
    }
  }

  private static Changes changes(ResultSet row, Target target, int partition) throws SQLException {
    int arrived = row.getInt("arrived");
    List<Changes.Arrival> arrivals =
        arrived == 0
            ? List.of()
            : List.of(
                new Changes.Arrival(target.queue(), partition, arrived, row.getString("first")));
    return new Changes(0, null, 0, row.getInt("removed"), arrivals);
  }

  /** Makes the tables that these items would go to, where they are missing. */
  void prepare(Target target, Collection<String> ids, StoreCall call) {
    Set<Integer> wanted = new TreeSet<>();
    ids.forEach(id -> wanted.add(target.partition(id)));
    Set<Integer> missing =
        context.look("prepare", call, Set.of(), watch -> missing(watch, target, wanted));
    missing.forEach(partition -> context.kernel.tables().create(target.queue(), partition, call));
  }

  private void requireTables(Watch watch, Target target, Set<Integer> partitions)
      throws SQLException {
    Set<Integer> missing = missing(watch, target, partitions);
    if (!missing.isEmpty()) {
      throw new MissingTables(target.queue(), missing);
    }
  }

  private Set<Integer> missing(Watch watch, Target target, Set<Integer> partitions)
      throws SQLException {
    List<String> names =
        partitions.stream().map(partition -> ItemTables.name(target.queue(), partition)).toList();
    Set<String> existing = ItemTables.existing(watch, context.kernel.sql().schema, names);
    Set<Integer> missing = new TreeSet<>(partitions);
    missing.removeIf(partition -> existing.contains(ItemTables.name(target.queue(), partition)));
    return missing;
  }

  /** Runs a transaction that moves items, and runs it again with the tables it found missing. */
  <T extends @Nullable Object> T moving(String operation, StoreCall call, SqlWork<T> work) {
    try {
      return context.transact(operation, call, work);
    } catch (MissingTables e) {
      e.partitions.forEach(number -> context.kernel.tables().create(e.queue, number, call));
      return context.transact(operation, call, work);
    }
  }

  /** Tables of the target that nobody has made yet; nothing was done. */
  private static final class MissingTables extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String queue;
    private final transient Set<Integer> partitions;

    MissingTables(String queue, Set<Integer> partitions) {
      super("'" + queue + "' lacks tables");
      this.queue = queue;
      this.partitions = partitions;
    }
  }
}
