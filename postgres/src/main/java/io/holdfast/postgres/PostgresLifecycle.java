package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Changes;
import io.holdfast.queue.ItemLifecycle;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds what is due, and does it page by page, one transaction each. */
final class PostgresLifecycle implements ItemLifecycle {
  private final PartitionContext context;
  private final LifecycleSql sql;
  private final PartitionSurvey survey;
  private final DeadLetters letters;

  PostgresLifecycle(PartitionContext context, PartitionSurvey survey) {
    this.context = context;
    this.sql = new LifecycleSql(context.sql.template);
    this.survey = survey;
    this.letters = new DeadLetters(context);
  }

  /** What a scan found, and when; no instant when there is no queue. */
  private record Found(@Nullable Instant at, List<Due> due) {
    static final Found NOTHING = new Found(Instant.EPOCH, List.of());
  }

  @Override
  public List<Due> scanScheduled(int limit, StoreCall call) {
    SweepFloor.Scan scan = context.schedules.begin();
    Found found =
        context.look(
            "scan scheduled",
            call,
            Found.NOTHING,
            watch -> {
              try (PreparedStatement statement = watch.prepare(sql.scanScheduled)) {
                Binds.of(statement).now(context.kernel.time()).at(scan.from()).integer(limit);
                return found(statement);
              }
            });
    return finished(context.schedules, scan, found);
  }

  @Override
  public List<Due> scanActions(int limit, StoreCall call) {
    SweepFloor.Scan scan = context.actions.begin();
    Found found =
        context.look(
            "scan actions",
            call,
            Found.NOTHING,
            watch -> {
              try (PreparedStatement statement = watch.prepare(sql.scanActions)) {
                Binds.of(statement)
                    .now(context.kernel.time())
                    .text(context.name())
                    .at(scan.from())
                    .integer(limit)
                    .at(scan.from())
                    .integer(limit)
                    .integer(limit);
                return found(statement);
              }
            });
    return finished(context.actions, scan, found);
  }

  private List<Due> finished(SweepFloor floor, SweepFloor.Scan scan, Found found) {
    Instant at = found.at();
    if (at == null) {
      throw context.noQueue();
    }
    if (found.due().isEmpty()) {
      floor.foundNothing(scan, at);
    }
    return found.due();
  }

  private static Found found(PreparedStatement statement) throws SQLException {
    Instant at = null;
    List<Due> due = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        at = at == null ? QueueRows.required(rows, "at") : at;
        String id = rows.getString("id");
        if (id != null) {
          due.add(
              new Due(
                  Kind.valueOf(rows.getString("kind")),
                  id,
                  rows.getInt("attempts"),
                  QueueRows.instant(rows, "deadline")));
        }
      }
    }
    return new Found(at, due);
  }

  /** What a page did, with the items that went to the dead queue. */
  private record Swept(Outcome outcome, int wasReady, Changes moved) {}

  @Override
  public Changes takeAction(List<Due> page, StoreCall call) {
    if (page.isEmpty()) {
      return Changes.NONE;
    }
    Swept swept = letters.moving("sweep", call, watch -> sweep(watch, page));
    if (swept == null) {
      return Changes.NONE;
    }
    context.arrived(swept.outcome().firstReady());
    return swept.outcome().changes(swept.wasReady()).plus(swept.moved());
  }

  private @Nullable Swept sweep(Watch watch, List<Due> page) throws SQLException {
    if (!isOurTurn(watch)) {
      return null;
    }
    Outcome outcome;
    int wasReady;
    try (PreparedStatement statement = watch.prepare(sql.sweep)) {
      bind(Binds.of(statement), page);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw context.noQueue();
        }
        outcome = Outcome.of(row);
        wasReady = row.getInt("was_ready");
      }
    }
    return new Swept(outcome, wasReady, letters.bury(watch, outcome));
  }

  private boolean isOurTurn(Watch watch) throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql.trySweep)) {
      Binds.of(statement).text(context.sql.table);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  private void bind(Binds binds, List<Due> page) throws SQLException {
    List<@Nullable Instant> deadlines = new ArrayList<>(page.size());
    page.forEach(due -> deadlines.add(due.deadline()));
    binds
        .now(context.kernel.time())
        .text(context.name())
        .number(context.nextPrefix())
        .texts(page.stream().map(due -> due.kind().name()).toList())
        .texts(page.stream().map(Due::id).toList())
        .instants(deadlines)
        .texts(context.kernel.suffixes().take(page.size()));
  }

  @Override
  public Info lifecycleInfo(StoreCall call) {
    return survey.lifecycleInfo(List.of(context), call).get(0);
  }
}
