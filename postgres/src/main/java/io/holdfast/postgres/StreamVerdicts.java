package io.holdfast.postgres;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamLeases.AckAnswer;
import io.holdfast.stream.StreamLeases.Ready;
import io.holdfast.stream.Verdict;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts of a call as arrays: cursors, and their items. A run of completed offsets under one
 * lease, which is what most calls are, has no items: the cursor names its ends. Used by one thread.
 */
final class StreamVerdicts {
  /** The parameters of these arrays in a call of a function. */
  static final String PARAMETERS = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?";

  /** What the function answers per cursor. */
  static final String COLUMNS = "place, queue, is_released, ready_us, errors, noops, deads";

  private final List<Ack> acks;
  private final List<Cursor> cursors = new ArrayList<>();
  private final List<Ack> items = new ArrayList<>();
  private final @Nullable Acked[] acked;
  private final Map<Integer, Ready> ready = new TreeMap<>();

  StreamVerdicts(List<Ack> acks) {
    this.acks = acks;
    this.acked = new Acked[acks.size()];
    Map<Key, List<Integer>> grouped = new LinkedHashMap<>();
    for (int i = 0; i < acks.size(); i++) {
      Ack ack = acks.get(i);
      grouped
          .computeIfAbsent(new Key(ack.partitionId(), ack.group()), key -> new ArrayList<>())
          .add(i);
    }
    grouped.forEach((key, places) -> cursors.add(cursor(key, places)));
  }

  private record Key(UUID partitionId, String group) {}

  /**
   * A cursor and its verdicts.
   *
   * @param places where its verdicts stand in the call, in the order in which they are sent
   * @param low the first of a run of completed offsets; 0 when it is not one
   * @param first its first item, from 1; 0 for a run
   */
  private record Cursor(
      StreamIds.PartitionKey partition,
      String group,
      List<Integer> places,
      @Nullable UUID lease,
      long low,
      long high,
      int first) {}

  private Cursor cursor(Key key, List<Integer> places) {
    StreamIds.PartitionKey partition =
        StreamIds.partition(key.partitionId())
            .orElse(new StreamIds.PartitionKey(new StreamInfo.Key(0, 0), 0));
    List<Integer> run = run(places);
    if (run != null) {
      Ack low = acks.get(run.get(0));
      Ack high = acks.get(run.get(run.size() - 1));
      return new Cursor(
          partition,
          key.group(),
          run,
          low.leaseId(),
          low.message().offset(),
          high.message().offset(),
          0);
    }
    int first = items.size() + 1;
    places.forEach(place -> items.add(acks.get(place)));
    return new Cursor(partition, key.group(), places, null, 0, 0, first);
  }

  /** The places in the order of their offsets, if these are a run of completed ones. */
  private @Nullable List<Integer> run(List<Integer> places) {
    UUID lease = acks.get(places.get(0)).leaseId();
    for (int place : places) {
      Ack ack = acks.get(place);
      if (ack.verdict() != Verdict.COMPLETED
          || ack.message().transactionId() != null
          || ack.message().offset() <= 0
          || lease == null
          || !lease.equals(ack.leaseId())) {
        return null;
      }
    }
    List<Integer> sorted = new ArrayList<>(places);
    sorted.sort((a, b) -> Long.compare(offset(a), offset(b)));
    for (int i = 0; i < sorted.size(); i++) {
      if (offset(sorted.get(i)) != offset(sorted.get(0)) + i) {
        return null;
      }
    }
    return sorted;
  }

  private long offset(int place) {
    return acks.get(place).message().offset();
  }

  Binds bind(Binds binds) throws SQLException {
    boolean isNaming = items.stream().anyMatch(ack -> ack.message().transactionId() != null);
    return binds
        .integers(cursors.stream().map(c -> c.partition().queue().id()).toList())
        .integers(cursors.stream().map(c -> c.partition().queue().tag()).toList())
        .numbers(cursors.stream().map(c -> c.partition().partition()).toList())
        .texts(cursors.stream().map(Cursor::group).toList())
        .uuids(cursors.stream().map(Cursor::lease).toList())
        .numbers(cursors.stream().map(Cursor::low).toList())
        .numbers(cursors.stream().map(Cursor::high).toList())
        .integers(cursors.stream().map(Cursor::first).toList())
        .integers(cursors.stream().map(StreamVerdicts::last).toList())
        .uuids(items.stream().map(Ack::leaseId).toList())
        .numbers(items.stream().map(ack -> ack.message().offset()).toList())
        .textsOrNull(
            isNaming ? items.stream().map(ack -> ack.message().transactionId()).toList() : null)
        .texts(items.stream().map(ack -> letter(ack.verdict())).toList())
        .texts(items.stream().map(Ack::error).toList());
  }

  private static int last(Cursor cursor) {
    return cursor.first() == 0 ? 0 : cursor.first() + cursor.places().size() - 1;
  }

  private static String letter(Verdict verdict) {
    return switch (verdict) {
      case COMPLETED -> "c";
      case FAILED -> "f";
      case RETRY -> "r";
      case DEAD_LETTER -> "d";
      case PARK -> "p";
    };
  }

  /** Takes the answer about one cursor. */
  void read(ResultSet row) throws SQLException {
    int at = row.getInt("place") - 1;
    Cursor cursor = cursors.get(at);
    int size = cursor.places().size();
    boolean isReleased = row.getBoolean("is_released");
    String[] errors = StreamEntries.array(row, "errors", new String[size]);
    Boolean[] noops = StreamEntries.array(row, "noops", new Boolean[size]);
    Boolean[] deads = StreamEntries.array(row, "deads", new Boolean[size]);
    for (int i = 0; i < size; i++) {
      acked[cursor.places().get(i)] =
          new Acked(
              errors[i] == null ? null : StreamError.valueOf(errors[i]),
              Boolean.TRUE.equals(noops[i]),
              Boolean.TRUE.equals(deads[i]),
              isReleased);
    }
    long micros = row.getLong("ready_us");
    if (!row.wasNull()) {
      ready.put(
          at,
          new Ready(
              row.getString("queue"), cursor.group(), Duration.of(micros, ChronoUnit.MICROS)));
    }
  }

  /** What became of all; a cursor that there is not has no lease. */
  AckAnswer answer() {
    List<Acked> all =
        Arrays.stream(acked)
            .map(one -> one == null ? Acked.refused(StreamError.LEASE_LOST) : one)
            .toList();
    return new AckAnswer(all, List.copyOf(ready.values()));
  }
}
