package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Changes;
import io.holdfast.queue.Fault;
import io.holdfast.queue.ItemLeaser;
import io.holdfast.queue.LeasedItem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Claims items, gives holders more time, and takes back what was delivered to nobody. */
final class PostgresLeaser implements ItemLeaser {
  private static final long MAX_PAYLOAD_BYTES = 16L * 1024 * 1024;
  private static final long LARGEST_ITEM = 5_000_000;
  private static final int LOOKS = 3;

  private final PartitionContext context;
  private final Refusals refusals;

  PostgresLeaser(PartitionContext context) {
    this.context = context;
    this.refusals = new Refusals(context, true);
  }

  /** What a claim brought, when, and of how many; no instant when there is no queue. */
  private record Claim(@Nullable Instant at, int found, List<LeasedItem> items) {
    static final Claim NOTHING = new Claim(Instant.EPOCH, 0, List.of());

    boolean hasMissedSome() {
      return found > items.size();
    }
  }

  /**
   * Looks again after what moved under its eyes: fewer items than asked for means that no more are
   * there.
   */
  @Override
  public List<LeasedItem> lease(int limit, StoreCall call) {
    Claim claim = claim(limit, MAX_PAYLOAD_BYTES, call);
    if (!claim.hasMissedSome()) {
      return claim.items();
    }
    List<LeasedItem> items = new ArrayList<>(claim.items());
    for (int i = 1; i < LOOKS && claim.hasMissedSome() && bytesLeft(items) >= LARGEST_ITEM; i++) {
      claim = claim(limit - items.size(), bytesLeft(items), call);
      items.addAll(claim.items());
    }
    items.sort(Comparator.comparing(LeasedItem::id));
    return items;
  }

  private static long bytesLeft(List<LeasedItem> items) {
    return MAX_PAYLOAD_BYTES
        - items.stream().mapToLong(item -> item.content().payload().length).sum();
  }

  private Claim claim(int limit, long bytes, StoreCall call) {
    ClaimHint.Look look = context.hint.begin();
    Claim claim;
    try {
      claim = context.take("lease", call, Claim.NOTHING, watch -> claim(watch, look, limit, bytes));
    } catch (RuntimeException e) {
      look.failed();
      throw e;
    }
    Instant at = claim.at();
    if (at == null) {
      look.failed();
      throw context.noQueue();
    }
    List<LeasedItem> items = claim.items();
    String first = items.isEmpty() ? null : items.get(0).id();
    if (claim.hasMissedSome()) {
      look.failed();
    } else {
      look.claimed(first, at);
    }
    if (first != null) {
      context.saw(items.get(items.size() - 1).id());
    }
    return claim;
  }

  private Claim claim(Watch watch, ClaimHint.Look look, int limit, long bytes) throws SQLException {
    try (PreparedStatement statement = watch.prepare(context.sql.claim)) {
      Binds.of(statement)
          .now(context.kernel.time())
          .text(context.name())
          .text(look.from())
          .integer(limit)
          .number(bytes);
      List<LeasedItem> items = new ArrayList<>();
      Instant at = null;
      int found = 0;
      try (ResultSet rows = statement.executeQuery()) {
        if (rows.next()) {
          at = QueueRows.required(rows, "at");
          found = rows.getInt("found");
          readInto(items, rows);
        }
      }
      items.sort(Comparator.comparing(LeasedItem::id));
      return new Claim(at, found, items);
    }
  }

  /** Reads the items of a claim, which share one deadline; a claim of nothing has no id. */
  private static void readInto(List<LeasedItem> items, ResultSet rows) throws SQLException {
    Instant deadline = QueueRows.instant(rows, "lease_deadline");
    if (deadline != null) {
      do {
        items.add(ItemRows.leased(rows, deadline));
      } while (rows.next());
    }
  }

  @Override
  public List<Extension> extend(List<Extend> requests, StoreCall call) {
    List<List<String>> ids = requests.stream().map(Extend::ids).toList();
    Map<Integer, Instant> deadlines = new HashMap<>();
    List<@Nullable Fault> faults =
        refusals.settle(ids, call, places -> extendSome(requests, places, deadlines, call));
    List<Extension> answers = new ArrayList<>(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      answers.add(new Extension(deadlines.get(i), faults.get(i)));
    }
    return answers;
  }

  private Set<Integer> extendSome(
      List<Extend> requests,
      List<Integer> places,
      Map<Integer, Instant> deadlines,
      StoreCall call) {
    Map<Integer, Instant> granted =
        context.change("extend", call, watch -> extend(watch, requests, places));
    if (granted == null) {
      throw context.noQueue();
    }
    deadlines.putAll(granted);
    return granted.keySet();
  }

  private @Nullable Map<Integer, Instant> extend(
      Watch watch, List<Extend> requests, List<Integer> places) throws SQLException {
    List<Integer> numbers = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    List<@Nullable Long> micros = new ArrayList<>();
    for (int place : places) {
      for (String id : requests.get(place).ids()) {
        numbers.add(place);
        ids.add(id);
        micros.add(micros(requests.get(place).by()));
      }
    }
    try (PreparedStatement statement = watch.prepare(context.sql.extend)) {
      Binds.of(statement)
          .now(context.kernel.time())
          .text(context.name())
          .integers(numbers)
          .texts(ids)
          .numbers(micros);
      return deadlines(statement);
    }
  }

  private static @Nullable Map<Integer, Instant> deadlines(PreparedStatement statement)
      throws SQLException {
    boolean isThere = false;
    Map<Integer, Instant> granted = new HashMap<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        int place = rows.getInt("r");
        if (rows.wasNull()) {
          isThere = true;
        } else {
          granted.put(place, QueueRows.required(rows, "deadline"));
        }
      }
    }
    return isThere ? granted : null;
  }

  private static @Nullable Long micros(@Nullable Duration by) {
    return by == null ? null : by.toNanos() / 1000;
  }

  @Override
  public int handBack(List<String> ids, StoreCall call) {
    int returned =
        context.take(
            "hand back",
            call,
            0,
            watch -> {
              try (PreparedStatement statement = watch.prepare(context.sql.handBack)) {
                Binds.of(statement).texts(ids);
                return statement.executeUpdate();
              }
            });
    ids.stream().min(Comparator.naturalOrder()).ifPresent(context.hint::lower);
    // An item may have expired while it was held: sweeps have passed its deadline already.
    context.actions.reset();
    return returned;
  }

  @Override
  public Changes takeBack(List<String> ids, StoreCall call) {
    Changes changes = context.change("take back", call, watch -> takeBack(watch, ids));
    context.actions.reset();
    return changes;
  }

  private Changes takeBack(Watch watch, List<String> ids) throws SQLException {
    try (PreparedStatement statement = watch.prepare(context.sql.takeBack)) {
      Binds.of(statement)
          .now(context.kernel.time())
          .text(context.name())
          .number(context.nextPrefix())
          .texts(ids)
          .texts(context.kernel.suffixes().take(ids.size()));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        String last = row.getString("last_ready");
        if (last != null) {
          context.saw(last);
        }
        return new Changes(row.getInt("ready"), row.getString("first_ready"), 0, 0, List.of());
      }
    }
  }
}
