package io.holdfast.postgres;

import io.holdfast.stream.Entry;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a push as arrays: queues, lanes (the partitions it goes to), and the entries,
 * which name their lane. Places count from 1. Used by one thread.
 */
final class StreamEntries {
  /** The parameters of these arrays in a call of a function. */
  static final String PARAMETERS = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?";

  /** What the function answers about them. */
  static final String COLUMNS =
      "status, about, depth, room, needs, queue_ids, tags, limits, depths, lane_ids, ids, offs, is_known";

  private static final int VARIANT = 0x8000;
  private static final long RANDOM_BITS = (1L << 48) - 1;

  private final List<Entry> entries;
  private final List<String> queues = new ArrayList<>();
  private final List<String> namespaces = new ArrayList<>();
  private final List<String> tasks = new ArrayList<>();
  private final List<Boolean> sealed = new ArrayList<>();
  private final List<Boolean> plain = new ArrayList<>();
  private final List<@Nullable UUID> sealedFor = new ArrayList<>();
  private final List<Integer> laneQueues = new ArrayList<>();
  private final List<String> laneNames = new ArrayList<>();
  private final List<Integer> lanes = new ArrayList<>();
  private final @Nullable List<Integer> firsts;
  private final List<String> suffixes = new ArrayList<>();
  private final List<Integer> idQueues = new ArrayList<>();
  private final List<Long> idFroms = new ArrayList<>();
  private final List<Integer> idCounts = new ArrayList<>();

  StreamEntries(List<Entry> entries) {
    this.entries = entries;
    Map<String, Integer> queuePlaces = new HashMap<>();
    Map<Lane, Integer> lanePlaces = new HashMap<>();
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      int queue = queuePlaces.computeIfAbsent(entry.queue(), this::addQueue);
      if (entry.isEncrypted()) {
        sealed.set(queue - 1, true);
        sealedFor.set(queue - 1, entry.payload().sealedFor());
      } else {
        plain.set(queue - 1, true);
      }
      Lane lane = new Lane(queue, entry.partition());
      lanes.add(lanePlaces.computeIfAbsent(lane, this::addLane));
      suffixes.add(suffix(i));
    }
    this.firsts = firsts();
  }

  private record Lane(int queue, String partition) {}

  private record Known(int lane, String transactionId) {}

  private int addQueue(String queue) {
    StreamInfo.Labels labels = StreamInfo.Labels.of(queue);
    queues.add(queue);
    namespaces.add(labels.namespace() == null ? "" : labels.namespace());
    tasks.add(labels.task() == null ? "" : labels.task());
    sealed.add(false);
    plain.add(false);
    sealedFor.add(null);
    return queues.size();
  }

  private int addLane(Lane lane) {
    laneQueues.add(lane.queue());
    laneNames.add(lane.partition());
    return laneNames.size();
  }

  /** The half of a message's id that does not depend on when it is stored. */
  private static String suffix(int index) {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits((short) (VARIANT | index))
        + hex.toHexDigits(ThreadLocalRandom.current().nextLong() & RANDOM_BITS, 12);
  }

  private @Nullable List<Integer> firsts() {
    if (entries.stream().allMatch(entry -> entry.transactionId() == null)) {
      return null;
    }
    Map<Known, Integer> known = new HashMap<>();
    List<Integer> all = new ArrayList<>(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      String id = entries.get(i).transactionId();
      Integer first = id == null ? null : known.putIfAbsent(new Known(lanes.get(i), id), i + 1);
      all.add(first == null ? i + 1 : first);
    }
    return all;
  }

  /** Numbers for new partitions of a queue; from 0: the queue is not committed yet. */
  record Numbers(int queue, long from, int count) {}

  /** Takes these along the next time. */
  void number(List<Numbers> numbers) {
    idQueues.clear();
    idFroms.clear();
    idCounts.clear();
    for (Numbers each : numbers) {
      idQueues.add(each.queue());
      idFroms.add(each.from());
      idCounts.add(each.count());
    }
  }

  Binds bind(Binds binds) throws SQLException {
    return binds
        .texts(queues)
        .texts(namespaces)
        .texts(tasks)
        .flags(sealed)
        .flags(plain)
        .uuids(sealedFor)
        .integers(idQueues)
        .numbers(idFroms)
        .integers(idCounts)
        .integers(laneQueues)
        .texts(laneNames)
        .integers(lanes)
        .integersOrNull(firsts)
        .texts(suffixes)
        .texts(entries.stream().map(Entry::transactionId).toList())
        .uuids(entries.stream().map(Entry::traceId).toList())
        .bytes(entries.stream().map(entry -> entry.payload().unwrap()).toList())
        .flags(entries.stream().map(Entry::isEncrypted).toList())
        .texts(entries.stream().map(Entry::producer).toList());
  }

  /**
   * What the function answered.
   *
   * @param about the queue that stood in the way
   * @param needs which queues need how many numbers
   * @param pushed empty unless the status is ok
   */
  record Answer(
      String status,
      @Nullable String about,
      long depth,
      long room,
      List<Numbers> needs,
      List<Pushed> pushed) {}

  Answer read(ResultSet row) throws SQLException {
    String status = row.getString("status");
    List<Numbers> needs = new ArrayList<>();
    if (status.equals("ids")) {
      Integer[] ids = array(row, "queue_ids", new Integer[0]);
      Long[] counts = array(row, "needs", new Long[0]);
      for (int i = 0; i < ids.length; i++) {
        needs.add(new Numbers(ids[i], 0, counts[i].intValue()));
      }
    }
    return new Answer(
        status,
        row.getString("about"),
        row.getLong("depth"),
        row.getLong("room"),
        needs,
        status.equals("ok") && !entries.isEmpty() ? pushed(row) : List.of());
  }

  private List<Pushed> pushed(ResultSet row) throws SQLException {
    Integer[] queueIds = array(row, "queue_ids", new Integer[0]);
    Integer[] tags = array(row, "tags", new Integer[0]);
    Long[] limits = array(row, "limits", new Long[0]);
    Long[] depths = array(row, "depths", new Long[queues.size()]);
    Long[] laneIds = array(row, "lane_ids", new Long[0]);
    UUID[] ids = array(row, "ids", new UUID[0]);
    Long[] offs = array(row, "offs", new Long[0]);
    Boolean[] known = array(row, "is_known", new Boolean[entries.size()]);
    UUID[] partitions = new UUID[laneIds.length];
    for (int i = 0; i < partitions.length; i++) {
      int queue = laneQueues.get(i) - 1;
      partitions[i] =
          StreamIds.partition(new StreamInfo.Key(queueIds[queue], tags[queue]), laneIds[i]);
    }
    List<Pushed> all = new ArrayList<>(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      int lane = lanes.get(i) - 1;
      int queue = laneQueues.get(lane) - 1;
      boolean isKnown = Boolean.TRUE.equals(known[i]);
      String given = entry.transactionId();
      all.add(
          new Pushed(
              isKnown ? Pushed.Status.DUPLICATE : Pushed.Status.QUEUED,
              ids[i],
              given == null ? ids[i].toString() : given,
              partitions[lane],
              offs[i],
              isKnown ? null : entry.traceId(),
              capacity(depths[queue], limits[queue])));
    }
    return List.copyOf(all);
  }

  private static Pushed.@Nullable Capacity capacity(@Nullable Long depth, long limit) {
    return depth == null ? null : new Pushed.Capacity(depth, Math.max(0, limit - depth));
  }

  /** An array of a row; {@code none} when it is null. */
  @SuppressWarnings("unchecked")
  static <T> T[] array(ResultSet row, String column, T[] none) throws SQLException {
    Array array = row.getArray(column);
    return array == null ? none : (T[]) array.getArray();
  }
}
