package io.holdfast.postgres;

import io.holdfast.job.Effects;
import io.holdfast.job.Enqueued;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobStore.Stored;
import io.holdfast.job.QueueKey;
import io.holdfast.lease.StoreCall;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * {@code nothing → ready, scheduled or gated}. Rows without an idempotency key are simply inserted.
 * With keys, rows that are there answer for those that are not stored. A key that somebody else
 * stored a moment ago is invisible to the statement it stopped, so it is read by another one; if it
 * is gone by then, the row is inserted again. Safe for use by many threads.
 */
final class JobInsert {
  private static final int ROUNDS = 3;
  private static final String UNIQUE_VIOLATION = "23505";
  private static final String KEY_CONSTRAINT = "th_jobs_queue_idempotency_key_uniq";

  private final JobKernel kernel;
  private final IntConsumer inserted;

  /**
   * In transactions of {@code kernel}.
   *
   * @param inserted hears how many rows were stored
   */
  JobInsert(JobKernel kernel, IntConsumer inserted) {
    this.kernel = kernel;
    this.inserted = inserted;
  }

  Stored enqueue(List<JobRow> rows, StoreCall call) {
    Stored stored = stored(rows, call);
    inserted.accept((int) stored.jobs().stream().filter(job -> !job.existed()).count());
    return stored;
  }

  /**
   * Who repeats an enqueue while the first one is under way meets its id before its key, which
   * looks like a taken id. The next statement sees the row and knows better.
   */
  private Stored stored(List<JobRow> rows, StoreCall call) {
    try {
      return inserted(rows, call);
    } catch (JobException e) {
      boolean mayBeRepeated =
          e.error() == JobError.DUPLICATE_JOB_ID
              && rows.stream()
                  .anyMatch(row -> row.id().equals(e.id()) && row.keys().idempotency() != null);
      if (!kernel.isOwn() || !mayBeRepeated) {
        throw e;
      }
      return inserted(rows, call);
    }
  }

  private Stored inserted(List<JobRow> rows, StoreCall call) {
    boolean hasKeys = rows.stream().anyMatch(row -> row.keys().idempotency() != null);
    return kernel.change(
        "enqueue", call, session -> hasKeys ? keyed(session, rows) : plain(session, rows));
  }

  /** What inserted rows mean for others. */
  private static final class Seen {
    private final Set<QueueKey> keys = new HashSet<>();
    private final Set<String> runnable = new HashSet<>();

    /** The columns queue, limit_key and is_soon. */
    void add(ResultSet row) throws SQLException {
      String key = row.getString("limit_key");
      if (key != null) {
        keys.add(new QueueKey(row.getString("queue"), key));
      } else if (row.getBoolean("is_soon")) {
        runnable.add(row.getString("queue"));
      }
    }

    Effects effects() {
      return new Effects(Set.copyOf(keys), Set.copyOf(runnable));
    }
  }

  private Stored plain(JobSession session, List<JobRow> rows) throws SQLException {
    Seen seen = new Seen();
    insert(session, JobInsertSql.PLAIN, rows, seen::add);
    return new Stored(
        rows.stream().map(row -> new Enqueued(row.id(), false)).toList(), seen.effects());
  }

  private Stored keyed(JobSession session, List<JobRow> rows) throws SQLException {
    @Nullable Enqueued[] answers = new Enqueued[rows.size()];
    Seen seen = new Seen();
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      open.add(i);
    }
    for (int round = 0; round < ROUNDS && !open.isEmpty(); round++) {
      store(session, rows, open, answers, seen);
      open.removeIf(i -> answers[i] != null);
      if (!open.isEmpty()) {
        look(session, rows, open, answers);
        open.removeIf(i -> answers[i] != null);
      }
    }
    if (!open.isEmpty()) {
      throw JobException.unknown("enqueue met idempotency keys that come and go; try again", null);
    }
    return new Stored(List.of(answers), seen.effects());
  }

  /** Inserts the open rows and answers for those that were stored or are visible. */
  private void store(
      JobSession session,
      List<JobRow> rows,
      List<Integer> open,
      @Nullable Enqueued[] answers,
      Seen seen)
      throws SQLException {
    List<JobRow> batch = open.stream().map(rows::get).toList();
    insert(
        session,
        JobInsertSql.KEYED,
        batch,
        row -> {
          String id = row.getString("id");
          if (id != null) {
            boolean isNew = row.getBoolean("is_new");
            answers[open.get(row.getInt("n") - 1)] = new Enqueued(id, !isNew);
            if (isNew) {
              seen.add(row);
            }
          }
        });
  }

  /** Finds the jobs that hold the keys of open rows. */
  private static void look(
      JobSession session, List<JobRow> rows, List<Integer> open, @Nullable Enqueued[] answers)
      throws SQLException {
    List<JobRow> batch = open.stream().map(rows::get).toList();
    session.all(
        JobInsertSql.FIND,
        binds ->
            binds
                .texts(batch.stream().map(JobRow::queue).toList())
                .texts(batch.stream().map(row -> row.keys().idempotency()).toList()),
        row -> answers[open.get(row.getInt("n") - 1)] = new Enqueued(row.getString("id"), true));
  }

  @FunctionalInterface
  private interface Reader {
    void read(ResultSet row) throws SQLException;
  }

  private void insert(JobSession session, String sql, List<JobRow> rows, Reader reader)
      throws SQLException {
    try (PreparedStatement statement = session.prepare(sql)) {
      JobInsertSql.bind(Binds.of(statement).now(kernel.time()), rows);
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          reader.read(found);
        }
      }
    } catch (PSQLException e) {
      throw refusal(e, rows);
    }
  }

  /** An id that is taken, or the failure itself. The server's words depend on its language. */
  private static SQLException refusal(PSQLException e, List<JobRow> rows) {
    ServerErrorMessage message = e.getServerErrorMessage();
    if (UNIQUE_VIOLATION.equals(e.getSQLState())
        && message != null
        && !KEY_CONSTRAINT.equals(message.getConstraint())) {
      String detail = String.valueOf(message.getDetail());
      throw rows.stream()
          .map(JobRow::id)
          .filter(id -> detail.contains("(id)=(" + id + ")"))
          .findFirst()
          .map(JobException::duplicate)
          .orElseGet(() -> JobException.duplicate(rows.get(0).id()));
    }
    return e;
  }
}
