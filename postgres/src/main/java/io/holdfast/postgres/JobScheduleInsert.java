package io.holdfast.postgres;

import io.holdfast.job.Effects;
import io.holdfast.job.JobIds;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobSpec;
import io.holdfast.job.NewJob;
import io.holdfast.job.QueueKey;
import io.holdfast.job.ScheduleSpec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Inserts jobs of schedules, those of one transaction each a microsecond after the other. A key
 * that is taken is left to who has it: its slot was fired before.
 */
final class JobScheduleInsert {
  private final JobSession session;
  private final JobIds ids;
  private final Instant now;
  private final Set<String> inserted = new HashSet<>();
  private final Set<QueueKey> keys = new HashSet<>();
  private final Set<String> runnable = new HashSet<>();
  private int number;

  JobScheduleInsert(JobSession session, JobIds ids, Instant now) {
    this.session = session;
    this.ids = ids;
    this.now = now;
  }

  /** The next job of a schedule, under this idempotency key if there is one. */
  JobRow row(ScheduleSpec spec, @Nullable String key) {
    NewJob job = spec.job();
    Instant createdAt = now.plusNanos(1_000L * number++);
    return new JobRow(
        ids.next(),
        Objects.requireNonNull(job.queue(), "queue"),
        new JobSpec.Keys(key, job.limitKey(), null),
        job.imported(new NewJob.Import(0, "", null, createdAt)));
  }

  void insert(List<JobRow> rows) throws SQLException {
    session.all(
        JobInsertSql.KEYED,
        binds -> JobInsertSql.bind(binds.now(session.time()), rows),
        row -> row.getBoolean("is_new") && note(row));
  }

  private boolean note(ResultSet row) throws SQLException {
    String queue = row.getString("queue");
    String limitKey = row.getString("limit_key");
    if (limitKey == null) {
      runnable.add(queue);
    } else {
      keys.add(new QueueKey(queue, limitKey));
    }
    return inserted.add(row.getString("id"));
  }

  boolean isInserted(JobRow row) {
    return inserted.contains(row.id());
  }

  int count() {
    return inserted.size();
  }

  Effects effects() {
    return new Effects(keys, runnable);
  }
}
