package io.holdfast.postgres;

import io.holdfast.job.Effects;
import io.holdfast.job.JobLimits;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.QueueKey;
import io.holdfast.lease.StoreCall;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Settings of queues, and who may pass. Safe for use by many threads. */
final class PostgresJobLimits implements JobLimits {
  /** What is longer than this is as good as for ever, and still an interval. */
  private static final Duration LONGEST = Duration.ofDays(365_000);

  /** What is not given stays, or becomes the default that the table has. */
  static final String CONFIGURE =
      """
      INSERT INTO {queues} AS q
             (queue, done_keep_ms, dlq_keep_ms, delivery_limit, default_limit_key, updated_at)
      SELECT g.queue, coalesce(g.done, 86400000), CASE WHEN g.keeps THEN g.dlq ELSE 2592000000 END,
             coalesce(g.deliveries, 20), nullif(g.key, ''), {now}
        FROM (SELECT ?::text, ?::bigint, ?::boolean, ?::bigint, ?::int, ?::text)
             AS g (queue, done, keeps, dlq, deliveries, key)
          ON CONFLICT (queue) DO UPDATE
         SET done_keep_ms = coalesce(?::bigint, q.done_keep_ms),
             dlq_keep_ms = CASE WHEN ?::boolean THEN ?::bigint ELSE q.dlq_keep_ms END,
             delivery_limit = coalesce(?::int, q.delivery_limit),
             default_limit_key = nullif(coalesce(?::text, q.default_limit_key), ''),
             updated_at = excluded.updated_at
      """
          .replace("{now}", JobSession.NOW);

  static final String SET_LIMIT =
      """
      INSERT INTO {limits} (queue, limit_key, max_running) VALUES (?, ?, ?)
          ON CONFLICT (queue, limit_key) DO UPDATE SET max_running = excluded.max_running
      """;

  static final String DROP_LIMIT = "DELETE FROM {limits} WHERE queue = ? AND limit_key = ?";

  private final JobKernel kernel;

  PostgresJobLimits(JobKernel kernel) {
    this.kernel = kernel;
  }

  @Override
  public JobQueueInfo configure(JobQueueConfig config, StoreCall call) {
    return kernel.transaction(
        "configure queue",
        call,
        session -> {
          // The row of the queue is written first: it keeps two who configure it apart.
          session.update(CONFIGURE, binds -> bind(binds, session, config));
          for (JobQueueConfig.KeyLimit limit : config.limits()) {
            set(session, config.queue(), limit);
          }
          return JobQueueRows.one(session, config.queue());
        });
  }

  private static void bind(Binds binds, JobSession session, JobQueueConfig config)
      throws SQLException {
    Long done = millis(config.doneKeep());
    boolean keeps = config.deadKeep() != null;
    Long dead =
        JobQueueConfig.FOR_EVER.equals(config.deadKeep()) ? null : millis(config.deadKeep());
    Long deliveries = config.deliveryLimit() == null ? null : config.deliveryLimit().longValue();
    binds
        .now(session.time())
        .text(config.queue())
        .numberOrNull(done)
        .flag(keeps)
        .numberOrNull(dead)
        .numberOrNull(deliveries)
        .text(config.defaultLimitKey());
    binds
        .numberOrNull(done)
        .flag(keeps)
        .numberOrNull(dead)
        .numberOrNull(deliveries)
        .text(config.defaultLimitKey());
  }

  private static @Nullable Long millis(@Nullable Duration value) {
    if (value == null) {
      return null;
    }
    return value.compareTo(LONGEST) > 0 ? LONGEST.toMillis() : value.toMillis();
  }

  private static void set(JobSession session, String queue, JobQueueConfig.KeyLimit limit)
      throws SQLException {
    Integer most = limit.maxRunning();
    if (most == null) {
      session.update(DROP_LIMIT, binds -> binds.text(queue).text(limit.key()));
    } else {
      session.update(SET_LIMIT, binds -> binds.text(queue).text(limit.key()).integer(most));
    }
  }

  @Override
  public Effects admit(Set<QueueKey> keys, StoreCall call) {
    List<QueueKey> all = List.copyOf(keys);
    Set<String> runnable = new HashSet<>();
    for (int from = 0; from < all.size(); from += JobAdmission.KEYS) {
      List<QueueKey> some = all.subList(from, Math.min(all.size(), from + JobAdmission.KEYS));
      runnable.addAll(
          kernel.transaction("admit", call, session -> JobAdmission.admit(session, some)).keySet());
    }
    return new Effects(Set.of(), runnable);
  }
}
