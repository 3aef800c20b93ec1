package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Changes;
import io.holdfast.queue.Clear;
import io.holdfast.queue.ItemAdmin;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.Redriven;
import io.holdfast.queue.StoredItem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Removes items, and returns dead letters to where they came from. */
final class PostgresItemAdmin implements ItemAdmin {
  private static final int PAGE = 1000;

  private final PartitionContext context;
  private final AdminSql sql;
  private final ItemImport imports;
  private final DeadLetters letters;

  PostgresItemAdmin(PartitionContext context) {
    this.context = context;
    this.sql = new AdminSql(context.sql.template);
    this.imports = new ItemImport(context, sql);
    this.letters = new DeadLetters(context);
  }

  @Override
  public Imported add(List<StoredItem> items, StoreCall call) {
    return imports.add(items, call);
  }

  @Override
  public Changes delete(List<String> ids, StoreCall call) {
    return context.take(
        "delete items",
        call,
        Changes.NONE,
        watch -> {
          try (PreparedStatement statement = watch.prepare(sql.delete)) {
            Binds.of(statement).texts(ids);
            return removed(statement);
          }
        });
  }

  @Override
  public Changes clear(Clear what, StoreCall call) {
    if (!what.queue() && !what.scheduled()) {
      throw QueueException.invalid("invalid clear request; nothing was named to clear");
    }
    if (what.equals(Clear.EVERYTHING)) {
      try {
        return context.takeTogether("clear", call, Changes.NONE, this::truncate);
      } catch (Busy e) {
        // Nobody is to wait for this, so the rows go one by one.
      }
    }
    return context.take(
        "clear",
        call,
        Changes.NONE,
        watch -> {
          try (PreparedStatement statement = watch.prepare(sql.clear)) {
            Binds.of(statement)
                .flag(what.scheduled())
                .flag(what.queue() && what.destructive())
                .flag(what.queue());
            return removed(statement);
          }
        });
  }

  private Changes truncate(Watch watch) throws SQLException {
    try {
      Migrations.execute(watch, sql.lock);
    } catch (SQLException e) {
      if (QueueFailures.isLockNotFree(e)) {
        throw new Busy(e);
      }
      throw e;
    }
    Changes changes;
    try (PreparedStatement statement = watch.prepare(sql.count)) {
      changes = removed(statement);
    }
    Migrations.execute(watch, sql.truncate);
    return changes;
  }

  /** Somebody is working on the table. */
  private static final class Busy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Busy(SQLException cause) {
      super(cause);
    }
  }

  private static Changes removed(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      row.next();
      return new Changes(0, null, row.getInt("unready"), row.getInt("removed"), List.of());
    }
  }

  /** How far a redrive got. */
  private record Page(int moved, int skipped, @Nullable String last, Changes changes) {}

  @Override
  public Redrive redrive(int limit, StoreCall call) {
    long moved = 0;
    long skipped = 0;
    Changes changes = Changes.NONE;
    String after = "";
    while (after != null && moved < limit) {
      String from = after;
      int size = (int) Math.min(PAGE, limit - moved);
      Page page = letters.moving("redrive", call, watch -> redrive(watch, from, size));
      moved += page.moved();
      skipped += page.skipped();
      changes = changes.plus(page.changes());
      after = page.last();
    }
    return new Redrive(new Redriven(moved, skipped), changes);
  }

  private Page redrive(Watch watch, String after, int size) throws SQLException {
    Map<DeadLetters.Target, List<String>> targets = new LinkedHashMap<>();
    String last = null;
    int skipped = 0;
    try (PreparedStatement statement = watch.prepare(sql.origins)) {
      Binds.of(statement).text(after).integer(size);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          last = rows.getString("id");
          String source = rows.getString("source");
          if (source == null) {
            skipped++;
          } else {
            DeadLetters.Target target = new DeadLetters.Target(source, rows.getInt("partitions"));
            targets.computeIfAbsent(target, t -> new ArrayList<>()).add(last);
          }
        }
      }
    }
    Changes changes = Changes.NONE;
    for (Map.Entry<DeadLetters.Target, List<String>> target : targets.entrySet()) {
      DeadLetters.Batch batch = new DeadLetters.Batch(target.getValue(), null);
      changes = changes.plus(letters.move(watch, target.getKey(), batch));
    }
    int moved = changes.removed();
    return new Page(moved, skipped, last, new Changes(0, null, moved, moved, changes.dead()));
  }
}
