package io.holdfast.postgres;

import io.holdfast.stream.Batch;
import io.holdfast.stream.Delivery;
import io.holdfast.stream.Message;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamLeases.PopAnswer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The requests of a pop as arrays, and what they brought. Used by one thread. */
final class StreamPops {
  /** Claims for each request in turn. */
  static final String POP =
      """
      SELECT r.ord, p.queue_id, p.queue_tag, p.queue, p.partition_id, p.partition, p.lease_id, p.fence,
             p.expires_at, p.off, p.id, p.transaction_id, p.trace_id, p.payload, p.encrypted, p.producer,
             p.created_at, p.attempt, p.next_us, p.seeding, p.reached
        FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[],
                    ?::int[], ?::int[], ?::bigint[], ?::boolean[], ?::timestamptz[], ?::text[])
             WITH ORDINALITY AS r(queue, partition, namespace, task, group_name, mode, from_at,
                                  batch, partitions, lease_us, is_auto, floor, floor_of, ord)
       CROSS JOIN LATERAL holdfast.stream_pop_v2(?::timestamptz, r.queue, r.partition, r.namespace, r.task,
             r.group_name, r.mode, r.from_at, r.batch, r.partitions, r.lease_us, r.is_auto, r.floor,
             r.floor_of) AS p
      """;

  private final List<PopRequest> requests;
  private final StreamFloors floors;
  private final List<PopAnswer> answers = new ArrayList<>();

  StreamPops(List<PopRequest> requests, StreamFloors floors) {
    this.requests = requests;
    this.floors = floors;
  }

  Binds bind(Binds binds) throws SQLException {
    List<StreamFloors.Floor> begins = requests.stream().map(this::floor).toList();
    return binds
        .texts(requests.stream().map(r -> r.from().queue()).toList())
        .texts(requests.stream().map(r -> r.from().partition()).toList())
        .texts(requests.stream().map(r -> r.from().namespace()).toList())
        .texts(requests.stream().map(r -> r.from().task()).toList())
        .texts(requests.stream().map(PopRequest::group).toList())
        .texts(requests.stream().map(r -> mode(r.start())).toList())
        .instants(requests.stream().map(r -> r.start().at()).toList())
        .integers(requests.stream().map(r -> r.size().batch()).toList())
        .integers(requests.stream().map(r -> r.size().partitions()).toList())
        .numbers(requests.stream().map(StreamPops::leaseMicros).toList())
        .flags(requests.stream().map(PopRequest::autoAck).toList())
        .instants(begins.stream().map(StreamFloors.Floor::at).toList())
        .texts(begins.stream().map(StreamFloors.Floor::of).toList());
  }

  private static String mode(Start start) {
    return switch (start.mode()) {
      case ALL -> "a";
      case NEW -> "n";
      case TIMESTAMP -> "t";
    };
  }

  private static @Nullable Long leaseMicros(PopRequest request) {
    Duration lease = request.leaseFor();
    return lease == null ? null : lease.toNanos() / 1000;
  }

  private StreamFloors.Floor floor(PopRequest request) {
    StreamFloors.Key key = key(request);
    return key == null ? StreamFloors.Floor.NONE : floors.begin(key);
  }

  /** Only a look at all partitions of a queue says something about where the next may begin. */
  private static StreamFloors.@Nullable Key key(PopRequest request) {
    String queue = request.from().queue();
    return queue == null || request.from().partition() != null
        ? null
        : new StreamFloors.Key(queue, request.group());
  }

  /** Takes all rows. */
  void read(ResultSet rows) throws SQLException {
    String queue = null;
    List<Batch> batches = new ArrayList<>();
    while (rows.next()) {
      PopRequest request = requests.get((int) rows.getLong("ord") - 1);
      rows.getLong("off");
      if (rows.wasNull()) {
        answers.add(answer(request, new Popped(queue, request.group(), frozen(batches), 0), rows));
        queue = null;
        batches.clear();
      } else {
        queue = rows.getString("queue");
        take(rows, batches);
      }
    }
  }

  private static List<Batch> frozen(List<Batch> batches) {
    return batches.stream()
        .map(b -> new Batch(b.partition(), b.partitionId(), b.lease(), List.copyOf(b.deliveries())))
        .toList();
  }

  private PopAnswer answer(PopRequest request, Popped popped, ResultSet row) throws SQLException {
    StreamFloors.Key key = key(request);
    Instant reached = StreamRows.instant(row, "reached");
    if (key != null && reached != null) {
      floors.reached(key, reached, row.getString("queue"));
    }
    long micros = row.getLong("next_us");
    Duration next = row.wasNull() ? null : Duration.of(micros, ChronoUnit.MICROS);
    return new PopAnswer(popped, next, row.getBoolean("seeding"));
  }

  private static void take(ResultSet row, List<Batch> batches) throws SQLException {
    String partition = row.getString("partition");
    Batch last = batches.isEmpty() ? null : batches.get(batches.size() - 1);
    if (last == null || !last.partition().equals(partition)) {
      StreamInfo.Key key = new StreamInfo.Key(row.getInt("queue_id"), row.getInt("queue_tag"));
      UUID id = StreamIds.partition(key, row.getLong("partition_id"));
      last = new Batch(partition, id, held(row), new ArrayList<>());
      batches.add(last);
    }
    last.deliveries().add(delivery(row, last));
  }

  private static Batch.@Nullable Held held(ResultSet row) throws SQLException {
    UUID lease = StreamRows.uuid(row, "lease_id");
    return lease == null
        ? null
        : new Batch.Held(lease, row.getLong("fence"), StreamRows.required(row, "expires_at"));
  }

  private static Delivery delivery(ResultSet row, Batch batch) throws SQLException {
    Message message =
        new Message(
            new Message.Place(
                row.getString("queue"), batch.partition(), batch.partitionId(), row.getLong("off")),
            row.getObject("id", UUID.class),
            row.getString("transaction_id"),
            StreamRows.uuid(row, "trace_id"),
            Payload.wrap(row.getBytes("payload")),
            StreamRows.required(row, "created_at"),
            row.getString("producer"));
    return new Delivery(message, row.getBoolean("encrypted"), row.getInt("attempt"));
  }

  List<PopAnswer> answers() {
    return List.copyOf(answers);
  }
}
