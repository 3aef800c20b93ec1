package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Ack;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Extended;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamLeases;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Claims and settles; each call is one statement. Safe for use by many threads. */
final class PostgresStreamLeases implements StreamLeases {
  private static final String ACK =
      "SELECT "
          + StreamVerdicts.COLUMNS
          + " FROM holdfast.stream_ack_v1(?::timestamptz, ?, '{}', "
          + StreamVerdicts.PARAMETERS
          + ")";

  private static final String EXTEND =
      "SELECT place, partitions, expires_at FROM holdfast.stream_extend_v1(?::timestamptz, ?, ?, ?)";

  private static final String RELEASE =
      """
      SELECT queue, group_name, ready_us
        FROM holdfast.stream_release_v1(?::timestamptz, ?, ?, ?, ?::int, ?::bigint)
      """;

  private static final String REVOKE =
      "SELECT holdfast.stream_revoke_v1(?::timestamptz, ?, ?, ?, ?::bigint)";
  private static final String PARK = "SELECT holdfast.stream_park_v1(?::timestamptz, ?, ?, ?, ?)";
  private static final String UNPARK =
      "SELECT holdfast.stream_unpark_v1(?::timestamptz, ?, ?, ?, ?)";

  private final StreamKernel kernel;
  private final StreamFloors floors;
  private final String ack;
  private final String pop;

  PostgresStreamLeases(StreamKernel kernel) {
    this.kernel = kernel;
    this.floors = new StreamFloors(kernel.time());
    this.ack = kernel.sql(ACK);
    this.pop = kernel.sql(StreamPops.POP);
  }

  @Override
  public List<PopAnswer> pop(List<PopRequest> requests, StoreCall call) {
    return requests.isEmpty()
        ? List.of()
        : kernel.change("pop", call, watch -> pop(watch, requests));
  }

  private List<PopAnswer> pop(Watch watch, List<PopRequest> requests) throws SQLException {
    StreamPops pops = new StreamPops(requests, floors);
    try (PreparedStatement statement = watch.prepare(pop)) {
      pops.bind(Binds.of(statement)).now(kernel.time());
      try (ResultSet rows = statement.executeQuery()) {
        pops.read(rows);
      }
    }
    return pops.answers();
  }

  @Override
  public AckAnswer ack(List<Ack> acks, StoreCall call) {
    return acks.isEmpty()
        ? new AckAnswer(List.of(), List.of())
        : kernel.change("ack", call, watch -> ack(watch, acks));
  }

  private AckAnswer ack(Watch watch, List<Ack> acks) throws SQLException {
    StreamVerdicts verdicts = new StreamVerdicts(acks);
    try (PreparedStatement statement = watch.prepare(ack)) {
      verdicts.bind(Binds.of(statement).now(kernel.time()).flag(kernel.isOwn()));
      try (ResultSet rows = statement.executeQuery()) {
        return read(verdicts, rows);
      }
    }
  }

  private static AckAnswer read(StreamVerdicts verdicts, ResultSet rows) throws SQLException {
    while (rows.next()) {
      verdicts.read(rows);
    }
    return verdicts.answer();
  }

  /**
   * A transaction of two statements. Sent as one they would do only while the driver does not know
   * the size of their rows: from then on it ends the transaction between them.
   */
  @Override
  public AckPopAnswer ackAndPop(List<Ack> acks, List<PopRequest> requests, StoreCall call) {
    return acks.isEmpty()
        ? new AckPopAnswer(new AckAnswer(List.of(), List.of()), pop(requests, call))
        : kernel.transaction("ack and pop", call, watch -> ackAndPop(watch, acks, requests));
  }

  private AckPopAnswer ackAndPop(Watch watch, List<Ack> acks, List<PopRequest> requests)
      throws SQLException {
    AckAnswer acked = ack(watch, acks);
    return new AckPopAnswer(acked, pop(watch, requests));
  }

  @Override
  public List<Extended> extend(List<Extension> extensions, StoreCall call) {
    return extensions.isEmpty()
        ? List.of()
        : kernel.change("extend", call, watch -> extend(watch, extensions));
  }

  private List<Extended> extend(Watch watch, List<Extension> extensions) throws SQLException {
    try (PreparedStatement statement = watch.prepare(kernel.sql(EXTEND))) {
      Binds.of(statement)
          .now(kernel.time())
          .integers(extensions.stream().map(e -> StreamIds.queue(e.leaseId()).orElse(0)).toList())
          .uuids(extensions.stream().map(Extension::leaseId).toList())
          .numbers(extensions.stream().map(e -> e.by().toNanos() / 1000).toList());
      List<Extended> all = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          int partitions = rows.getInt("partitions");
          all.add(
              partitions == 0
                  ? Extended.LOST
                  : new Extended(partitions, StreamRows.instant(rows, "expires_at")));
        }
      }
      return List.copyOf(all);
    }
  }

  @Override
  public Returned release(UUID leaseId, @Nullable UUID partitionId, StoreCall call) {
    Optional<Integer> queue = StreamIds.queue(leaseId);
    Optional<StreamIds.PartitionKey> partition =
        Optional.ofNullable(partitionId).flatMap(StreamIds::partition);
    boolean isForeign =
        partitionId != null && !partition.map(key -> key.queue().id()).equals(queue);
    return queue.isEmpty() || isForeign
        ? new Returned(0, List.of())
        : kernel.change(
            "release", call, watch -> release(watch, queue.get(), leaseId, partition.orElse(null)));
  }

  private Returned release(
      Watch watch, int queue, UUID leaseId, StreamIds.@Nullable PartitionKey partition)
      throws SQLException {
    try (PreparedStatement statement = watch.prepare(kernel.sql(RELEASE))) {
      Binds.of(statement)
          .now(kernel.time())
          .flag(kernel.isOwn())
          .integer(queue)
          .uuid(leaseId)
          .numberOrNull(partition == null ? null : (long) partition.queue().tag())
          .numberOrNull(partition == null ? null : partition.partition());
      int partitions = 0;
      List<Ready> ready = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          partitions++;
          long micros = rows.getLong("ready_us");
          if (!rows.wasNull()) {
            Duration in = Duration.of(micros, ChronoUnit.MICROS);
            ready.add(new Ready(rows.getString("queue"), rows.getString("group_name"), in));
          }
        }
      }
      return new Returned(partitions, List.copyOf(ready));
    }
  }

  @Override
  public boolean revoke(CursorKey cursor, @Nullable Long fence, StoreCall call) {
    return kernel.change(
        "revoke",
        call,
        watch -> {
          try (PreparedStatement statement = watch.prepare(kernel.sql(REVOKE))) {
            named(statement, cursor).numberOrNull(fence);
            try (ResultSet row = statement.executeQuery()) {
              return row.next() && row.getBoolean(1);
            }
          }
        });
  }

  @Override
  public void park(CursorKey cursor, String reason, StoreCall call) {
    String status =
        kernel.change(
            "park",
            call,
            watch -> {
              try (PreparedStatement statement = watch.prepare(kernel.sql(PARK))) {
                named(statement, cursor).text(reason);
                return text(statement);
              }
            });
    require(cursor, status);
  }

  @Override
  public boolean unpark(CursorKey cursor, boolean isSkippingHead, StoreCall call) {
    String status =
        kernel.change(
            "unpark",
            call,
            watch -> {
              try (PreparedStatement statement = watch.prepare(kernel.sql(UNPARK))) {
                named(statement, cursor).flag(isSkippingHead);
                return text(statement);
              }
            });
    require(cursor, status);
    return status.equals("ok");
  }

  private Binds named(PreparedStatement statement, CursorKey cursor) throws SQLException {
    return Binds.of(statement)
        .now(kernel.time())
        .text(cursor.queue())
        .text(cursor.partition())
        .text(cursor.group());
  }

  private static String text(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getString(1);
    }
  }

  /** Fails when the status says what there is not. */
  private static void require(CursorKey cursor, String status) {
    switch (status) {
      case "queue" -> throw StreamException.noQueue(cursor.queue());
      case "partition" -> throw StreamException.noPartition(cursor.queue(), cursor.partition());
      case "group" -> throw StreamException.noGroup(cursor.queue(), cursor.group());
      default -> {
        return;
      }
    }
  }
}
