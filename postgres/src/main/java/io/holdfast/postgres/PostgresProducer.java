package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Content;
import io.holdfast.queue.ItemProducer;
import io.holdfast.queue.NewItem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Inserts items with one statement. Only the head of the new ids comes back: their tails were made
 * here and sent along.
 */
final class PostgresProducer implements ItemProducer {
  private final PartitionContext context;

  PostgresProducer(PartitionContext context) {
    this.context = context;
  }

  @Override
  public Produced produce(List<List<NewItem>> requests, StoreCall call) {
    List<NewItem> items = requests.stream().flatMap(List::stream).toList();
    List<String> suffixes = context.kernel.suffixes().take(items.size());
    Inserted inserted = context.change("produce", call, watch -> insert(watch, items, suffixes));
    if (inserted.prefix() == null) {
      throw context.noQueue();
    }
    Produced produced = new Produced(ids(requests, inserted.prefix(), suffixes), inserted.ready());
    context.arrived(produced.first());
    context.growth.inserted(items.size());
    return produced;
  }

  private record Inserted(@Nullable String prefix, int ready) {}

  private Inserted insert(Watch watch, List<NewItem> items, List<String> suffixes)
      throws SQLException {
    try (PreparedStatement statement = watch.prepare(context.sql.produce)) {
      Binds.of(statement)
          .now(context.kernel.time())
          .text(context.name())
          .number(context.nextPrefix())
          .texts(suffixes)
          .instants(instants(items))
          .texts(texts(items, Content::reference))
          .texts(texts(items, Content::encoding))
          .texts(texts(items, Content::kind))
          .bytes(items.stream().map(item -> item.content().payload()).toList());
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? new Inserted(row.getString("prefix"), row.getInt("ready"))
            : new Inserted(null, 0);
      }
    }
  }

  /** The enqueue times; none at all when no item has one, which is the usual case. */
  private static List<@Nullable Instant> instants(List<NewItem> items) {
    List<@Nullable Instant> instants = new ArrayList<>();
    if (items.stream().anyMatch(item -> item.enqueueAt() != null)) {
      items.forEach(item -> instants.add(item.enqueueAt()));
    }
    return instants;
  }

  /** One of the texts of each item; none at all when they are all empty. */
  private static List<String> texts(List<NewItem> items, Function<Content, String> which) {
    List<String> texts = items.stream().map(item -> which.apply(item.content())).toList();
    return texts.stream().allMatch(String::isEmpty) ? List.of() : texts;
  }

  private static List<List<String>> ids(
      List<List<NewItem>> requests, String prefix, List<String> suffixes) {
    List<List<String>> ids = new ArrayList<>(requests.size());
    int next = 0;
    for (List<NewItem> request : requests) {
      int end = next + request.size();
      ids.add(suffixes.subList(next, end).stream().map(prefix::concat).toList());
      next = end;
    }
    return ids;
  }
}
