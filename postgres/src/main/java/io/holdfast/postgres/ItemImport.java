package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Changes;
import io.holdfast.queue.ItemAdmin.Imported;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.StoredItem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Inserts items in the state they are given in. */
final class ItemImport {
  private final PartitionContext context;
  private final AdminSql sql;

  ItemImport(PartitionContext context, AdminSql sql) {
    this.context = context;
    this.sql = sql;
  }

  /** What the statement inserted, by the tails of the ids it was given. */
  private record Inserted(String prefix, Map<String, StoredItem> bySuffix) {}

  Imported add(List<StoredItem> items, StoreCall call) {
    for (StoredItem item : items) {
      if (item.isLeased() && item.times().enqueueAt() != null) {
        throw QueueException.invalid("items is invalid; an item cannot be leased and scheduled");
      }
    }
    List<String> suffixes = context.kernel.suffixes().take(items.size());
    Imported imported = context.transact("import", call, watch -> add(watch, items, suffixes));
    if (imported == null) {
      throw context.noQueue();
    }
    imported.items().forEach(item -> context.saw(item.id()));
    String first = imported.changes().firstReady();
    if (first != null) {
      context.hint.lower(first);
    }
    context.schedules.reset();
    context.actions.reset();
    context.growth.inserted(items.size());
    return imported;
  }

  private @Nullable Imported add(Watch watch, List<StoredItem> items, List<String> suffixes)
      throws SQLException {
    Inserted inserted = insert(watch, items, suffixes);
    if (inserted == null) {
      return null;
    }
    Map<String, StoredItem> known = known(watch, items, suffixes, inserted);
    List<StoredItem> stored = new ArrayList<>(items.size());
    for (int i = 0; i < items.size(); i++) {
      StoredItem item = inserted.bySuffix().get(suffixes.get(i));
      String source = items.get(i).origin().sourceId();
      StoredItem answer = item != null || source == null ? item : known.get(source);
      if (answer == null) {
        throw QueueException.retryable("items have changed; '" + source + "' has just gone", null);
      }
      stored.add(answer);
    }
    return new Imported(stored, changes(inserted.bySuffix()));
  }

  private static Changes changes(Map<String, StoredItem> inserted) {
    List<String> ready =
        inserted.values().stream()
            .filter(item -> !item.isLeased() && item.times().enqueueAt() == null)
            .map(StoredItem::id)
            .sorted()
            .toList();
    return new Changes(ready.size(), ready.isEmpty() ? null : ready.get(0), 0, 0, List.of());
  }

  private @Nullable Inserted insert(Watch watch, List<StoredItem> items, List<String> suffixes)
      throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql.importItems)) {
      bind(Binds.of(statement), items, suffixes);
      String prefix = null;
      Map<String, StoredItem> bySuffix = new HashMap<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          prefix = rows.getString("prefix");
          String id = rows.getString("id");
          if (id != null) {
            bySuffix.put(id.substring(prefix.length()), ItemRows.stored(rows));
          }
        }
      }
      return prefix == null ? null : new Inserted(prefix, bySuffix);
    }
  }

  private void bind(Binds binds, List<StoredItem> items, List<String> suffixes)
      throws SQLException {
    binds
        .now(context.kernel.time())
        .text(context.name())
        .number(context.nextPrefix())
        .texts(suffixes)
        .texts(texts(items, item -> item.origin().sourceId()))
        .flags(items.stream().map(StoredItem::isLeased).toList())
        .instants(instants(items, item -> item.times().leaseDeadline()))
        .instants(instants(items, item -> item.times().expireDeadline()))
        .instants(instants(items, item -> item.times().enqueueAt()))
        .integers(items.stream().map(StoredItem::attempts).toList())
        .integers(items.stream().map(StoredItem::maxAttempts).toList())
        .texts(texts(items, item -> item.content().reference()))
        .texts(texts(items, item -> item.content().encoding()))
        .texts(texts(items, item -> item.content().kind()))
        .bytes(items.stream().map(item -> item.content().payload()).toList())
        .texts(texts(items, item -> item.origin().sourceQueue()))
        .texts(texts(items, item -> item.origin().deadReason()));
  }

  private static List<@Nullable String> texts(
      List<StoredItem> items, Function<StoredItem, @Nullable String> field) {
    List<@Nullable String> values = new ArrayList<>(items.size());
    items.forEach(item -> values.add(field.apply(item)));
    return values;
  }

  private static List<@Nullable Instant> instants(
      List<StoredItem> items, Function<StoredItem, @Nullable Instant> field) {
    List<@Nullable Instant> values = new ArrayList<>(items.size());
    items.forEach(item -> values.add(field.apply(item)));
    return values;
  }

  /** Items whose source ids kept others out. */
  private Map<String, StoredItem> known(
      Watch watch, List<StoredItem> items, List<String> suffixes, Inserted inserted)
      throws SQLException {
    List<String> sources = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      String source = items.get(i).origin().sourceId();
      if (source != null && !inserted.bySuffix().containsKey(suffixes.get(i))) {
        sources.add(source);
      }
    }
    Map<String, StoredItem> known = new HashMap<>();
    if (!sources.isEmpty()) {
      try (PreparedStatement statement = watch.prepare(sql.bySource)) {
        Binds.of(statement).texts(sources);
        ItemRows.stored(statement)
            .forEach(item -> known.put(String.valueOf(item.origin().sourceId()), item));
      }
    }
    return known;
  }
}
