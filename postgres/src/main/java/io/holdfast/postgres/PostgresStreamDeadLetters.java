package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.DeadLetters;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.Payload;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.Redriven;
import io.holdfast.stream.StreamDeadLetters;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamRules;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** Messages that were given up, in their table. Safe for use by many threads. */
final class PostgresStreamDeadLetters implements StreamDeadLetters {
  /**
   * A page, newest first: the newest of each queue by its index, then the newest of those. There
   * are few queues.
   */
  private static final String PAGE =
      """
      holdfast.stream_queue AS q
       CROSS JOIN LATERAL (
             SELECT d.queue_id, d.id, d.partition_id, d.queue, d.partition, d.group_name, d.off, d.message_id,
                    d.transaction_id, d.trace_id, d.payload, d.encrypted, d.producer_sub, d.created_at,
                    d.failed_at, d.reason, d.error, d.retry_count, d.attempt
               FROM holdfast.stream_dead AS d
              WHERE d.queue_id = q.id AND (?::text IS NULL OR d.group_name = ?)
                AND (?::text IS NULL OR d.partition = ?)
                AND (?::timestamptz IS NULL OR d.failed_at >= ?) AND (?::timestamptz IS NULL OR d.failed_at < ?)
                AND (?::timestamptz IS NULL OR (d.failed_at, d.id) < (?, ?))
              ORDER BY d.failed_at DESC, d.id DESC LIMIT ?) AS d
       WHERE q.deleted_at IS NULL AND (?::text IS NULL OR q.name = ?)
       ORDER BY d.failed_at DESC, d.id DESC LIMIT ?
      """;

  private static final String COLUMNS =
      """
      d.queue_id, q.tag, d.id, d.partition_id, d.queue, d.partition, d.group_name, d.off, d.message_id,
             d.transaction_id, d.trace_id, d.payload, d.encrypted, d.producer_sub, d.created_at,
             d.failed_at, d.reason, d.error, d.retry_count, d.attempt
      """;

  /** The page, until its payloads fill an answer. */
  private static final String LIST =
      """
      SELECT d.* FROM (
        SELECT d.*, row_number() OVER page AS n, sum(octet_length(d.payload)) OVER page AS bytes
          FROM (SELECT {columns} FROM {page}) AS d
        WINDOW page AS (ORDER BY d.failed_at DESC, d.id DESC)) AS d
       WHERE d.n = 1 OR d.bytes <= {bytes}
       ORDER BY d.failed_at DESC, d.id DESC
      """
          .replace("{columns}", COLUMNS)
          .replace("{page}", PAGE)
          .replace("{bytes}", Long.toString(StreamRules.MAX_ANSWER));

  private static final String MEANT =
      """
       FROM holdfast.stream_dead AS d
        JOIN holdfast.stream_queue AS q ON q.id = d.queue_id AND q.deleted_at IS NULL
       WHERE (?::text IS NULL OR q.name = ?) AND (?::text IS NULL OR d.group_name = ?)
         AND (?::text IS NULL OR d.partition = ?)
         AND (?::timestamptz IS NULL OR d.failed_at >= ?) AND (?::timestamptz IS NULL OR d.failed_at < ?)
      """;

  private static final String COUNT = "SELECT count(*)" + MEANT;

  private static final String COUNT_BY_PARTITION =
      "SELECT d.queue, d.partition, count(*)" + MEANT + " GROUP BY d.queue, d.partition";

  private static final String GET =
      "SELECT "
          + COLUMNS
          + """
             FROM holdfast.stream_dead AS d JOIN holdfast.stream_queue AS q ON q.id = d.queue_id
             WHERE d.queue_id = ? AND d.id = ? AND q.deleted_at IS NULL
            """;

  private static final String PURGE =
      "DELETE FROM holdfast.stream_dead AS gone USING (SELECT d.queue_id, d.id FROM "
          + PAGE
          + ") AS page WHERE gone.queue_id = page.queue_id AND gone.id = page.id";

  private static final String REDRIVE =
      "SELECT outcome, message_id FROM holdfast.stream_redrive_v1(?, ?, ?, ?, ?, ?, ?, ?)";

  private final StreamKernel kernel;
  private final StreamStatements statements;
  private final PostgresStreamCatalog catalog;

  PostgresStreamDeadLetters(StreamKernel kernel) {
    this.kernel = kernel;
    this.statements = new StreamStatements(kernel);
    this.catalog = new PostgresStreamCatalog(kernel);
  }

  @Override
  public List<DeadLetter> list(DeadLetterQuery query, StoreCall call) {
    return kernel.look(
        "dead letters",
        call,
        watch ->
            statements.all(
                watch, LIST, binds -> bind(binds, query), PostgresStreamDeadLetters::letter));
  }

  private static void bind(Binds binds, DeadLetterQuery query) throws SQLException {
    PageKey after = query.after();
    binds
        .text(query.group())
        .text(query.group())
        .text(query.partition())
        .text(query.partition())
        .at(query.failed().from())
        .at(query.failed().from())
        .at(query.failed().to())
        .at(query.failed().to())
        .at(after == null ? null : after.at())
        .at(after == null ? null : after.at())
        .uuid(after == null ? null : after.id())
        .integer(query.limit())
        .text(query.queue())
        .text(query.queue())
        .integer(query.limit());
  }

  private static DeadLetter letter(ResultSet row) throws SQLException {
    String reason = row.getString("reason").toUpperCase(Locale.ROOT);
    return new DeadLetter(
        row.getObject("id", UUID.class),
        row.getString("group_name"),
        StreamMessages.message(row, "message_id"),
        row.getBoolean("encrypted"),
        new DeadLetter.Failure(
            DeadLetter.Reason.valueOf(reason),
            row.getString("error"),
            row.getInt("retry_count"),
            row.getInt("attempt"),
            StreamRows.required(row, "failed_at")));
  }

  @Override
  public long count(DeadLetterQuery query, StoreCall call) {
    Long count =
        kernel.look(
            "count dead letters",
            call,
            watch ->
                statements.first(
                    watch, COUNT, binds -> bindMeant(binds, query), row -> row.getLong(1)));
    return count == null ? 0 : count;
  }

  private static void bindMeant(Binds binds, DeadLetterQuery query) throws SQLException {
    binds
        .text(query.queue())
        .text(query.queue())
        .text(query.group())
        .text(query.group())
        .text(query.partition())
        .text(query.partition())
        .at(query.failed().from())
        .at(query.failed().from())
        .at(query.failed().to())
        .at(query.failed().to());
  }

  @Override
  public List<DeadLetters.Count> countByPartition(DeadLetterQuery query, StoreCall call) {
    return kernel.look(
        "count dead letters",
        call,
        watch ->
            statements.all(
                watch,
                COUNT_BY_PARTITION,
                binds -> bindMeant(binds, query),
                row -> new DeadLetters.Count(row.getString(1), row.getString(2), row.getLong(3))));
  }

  @Override
  public Optional<DeadLetter> get(UUID id, StoreCall call) {
    Optional<Integer> queue = StreamIds.queue(id);
    if (queue.isEmpty()) {
      return Optional.empty();
    }
    return kernel.look(
        "dead letter",
        call,
        watch ->
            Optional.ofNullable(
                statements.first(
                    watch,
                    GET,
                    binds -> binds.integer(queue.get()).uuid(id),
                    PostgresStreamDeadLetters::letter)));
  }

  @Override
  public int purge(DeadLetterQuery query, StoreCall call) {
    return kernel.change(
        "purge dead letters",
        call,
        watch -> statements.update(watch, PURGE, binds -> bind(binds, query)));
  }

  @Override
  public Redriven redrive(UUID id, Redrive how, boolean isEncrypted, StoreCall call) {
    Optional<Integer> queue = StreamIds.queue(id);
    String target = how.queue();
    if (queue.isEmpty() || (target != null && get(id, call).isEmpty())) {
      return new Redriven(id, Redriven.Outcome.GONE, null);
    }
    if (target != null) {
      make(target, call);
    }
    Payload payload = how.payload();
    Redriven done =
        kernel.change(
            "redrive",
            call,
            watch ->
                statements.first(
                    watch,
                    REDRIVE,
                    binds ->
                        binds
                            .now(kernel.time())
                            .integer(queue.get())
                            .uuid(id)
                            .flag(how.toAllGroups())
                            .text(how.queue())
                            .text(how.partition())
                            .data(payload == null ? null : payload.unwrap())
                            .flag(isEncrypted),
                    row ->
                        new Redriven(
                            id,
                            Redriven.Outcome.valueOf(row.getString("outcome")),
                            StreamRows.uuid(row, "message_id"))));
    return done == null ? new Redriven(id, Redriven.Outcome.GONE, null) : done;
  }

  /** Another queue is made as a push would make it; it stays, also if the letter does. */
  private void make(String target, StoreCall call) {
    if (catalog.find(target, call).isEmpty()) {
      kernel.change(
          "redrive", call, watch -> catalog.add(watch, target, StreamInfo.Labels.of(target)));
    }
  }
}
