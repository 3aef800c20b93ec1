package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.ItemBrowser;
import io.holdfast.queue.ItemRules;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.StoredItem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Looks at items. */
final class PostgresBrowser implements ItemBrowser {
  private static final QueueStats.ItemCounts NOTHING =
      new QueueStats.ItemCounts(0, 0, 0, Duration.ZERO, Duration.ZERO);

  private final PartitionContext context;

  PostgresBrowser(PartitionContext context) {
    this.context = context;
  }

  @Override
  public List<StoredItem> list(String pivot, int limit, StoreCall call) {
    return context.look(
        "list", call, List.of(), watch -> page(watch, context.sql.list, pivot, limit));
  }

  @Override
  public List<StoredItem> listScheduled(String pivot, int limit, StoreCall call) {
    return context.look(
        "list scheduled",
        call,
        List.of(),
        watch -> page(watch, context.sql.listScheduled, pivot, limit));
  }

  private static List<StoredItem> page(Watch watch, String sql, String pivot, int limit)
      throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql)) {
      Binds.of(statement).text(pivot).integer(limit);
      try (ResultSet rows = statement.executeQuery()) {
        List<StoredItem> page = new ArrayList<>();
        while (rows.next()) {
          ItemRules.checkListed(rows.getLong("bytes"));
          page.add(ItemRows.stored(rows));
        }
        return page;
      }
    }
  }

  @Override
  public QueueStats.ItemCounts stats(StoreCall call) {
    return context.look(
        "stats",
        call,
        NOTHING,
        watch -> {
          try (PreparedStatement statement = watch.prepare(context.sql.stats)) {
            Binds.of(statement).now(context.kernel.time());
            try (ResultSet row = statement.executeQuery()) {
              row.next();
              return new QueueStats.ItemCounts(
                  row.getLong("total"),
                  row.getLong("leased"),
                  row.getLong("scheduled"),
                  Duration.ofNanos(row.getLong("age") * 1000),
                  Duration.ofNanos(row.getLong("lease_left") * 1000));
            }
          }
        });
  }

  @Override
  public int countReady(int cap, StoreCall call) {
    return context.look(
        "count",
        call,
        0,
        watch -> {
          try (PreparedStatement statement = watch.prepare(context.sql.countReady)) {
            Binds.of(statement).integer(cap);
            try (ResultSet row = statement.executeQuery()) {
              row.next();
              return row.getInt(1);
            }
          }
        });
  }
}
