package io.holdfast.postgres;

import io.holdfast.job.Effects;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobStore.Answer;
import io.holdfast.job.QueueKey;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What became of the items of one settling. Those that a statement does not report were refused;
 * one more read tells why. Used by one thread.
 */
final class JobVerdicts {
  /** How many columns {@link #readAcks} reads. */
  static final int ACK_COLUMNS = 3;

  private final List<? extends Settlement> items;
  private final @Nullable Settled[] settled;

  JobVerdicts(List<? extends Settlement> items) {
    this.items = items;
    this.settled = new Settled[items.size()];
  }

  /** Where a refused item stands. */
  record Standing(
      int number,
      String status,
      boolean isValid,
      @Nullable String token,
      @Nullable String lastToken,
      @Nullable String outcome,
      boolean isDeadByUs,
      boolean isCancelRequested) {
    static Standing of(ResultSet row) throws SQLException {
      return new Standing(
          row.getInt("n"),
          row.getString("status"),
          row.getBoolean("is_valid"),
          row.getString("lease_token"),
          row.getString("last_token"),
          row.getString("outcome"),
          row.getBoolean("is_dead_by_us"),
          row.getBoolean("cancel_requested"));
    }

    /** Why a run cannot be settled. */
    JobError error(Held held) {
      if (!status.equals("inflight")) {
        return JobError.JOB_NOT_INFLIGHT;
      }
      if (!isValid) {
        return JobError.LEASE_EXPIRED;
      }
      return held.token().equals(token) ? JobError.JOB_NOT_INFLIGHT : JobError.LEASE_MISMATCH;
    }

    /** Whether the same run was settled so before. */
    boolean isRepeat(Settlement item) {
      boolean isSame = item.held().token().equals(lastToken);
      boolean isAcked =
          isSame && status.equals("done") && Job.Outcome.SUCCEEDED.text().equals(outcome);
      boolean isFailed =
          isSame && status.equals("dlq") && Job.Outcome.FAILED.text().equals(outcome) && isDeadByUs;
      return item instanceof Settlement.Ack && isAcked
          || item instanceof Settlement.Fail && (isAcked || isFailed);
    }
  }

  /** Reads the verdict about {@code acks}: three columns from {@code first} on. */
  Effects readAcks(ResultSet row, int first, JobItems<Settlement.Ack> acks) throws SQLException {
    BitSet refused = new BitSet();
    JobRows.numbers(row, first).forEach(number -> refused.set(number - 1));
    for (int i = 0; i < acks.size(); i++) {
      if (!refused.get(i)) {
        settled[acks.places().get(i)] = Settled.done(acks.heldAt(i).id());
      }
    }
    List<String> queues = JobRows.texts(row, first + 1);
    List<String> keys = JobRows.texts(row, first + 2);
    Set<QueueKey> freed = new HashSet<>();
    for (int i = 0; i < queues.size(); i++) {
      freed.add(new QueueKey(queues.get(i), keys.get(i)));
    }
    return new Effects(Set.copyOf(freed), Set.of());
  }

  /** Reads which refused {@code acks} were of waiting jobs (negative) or expired ones. */
  void readRefused(ResultSet row, int column, JobItems<Settlement.Ack> acks) throws SQLException {
    for (int number : JobRows.numbers(row, column)) {
      int index = Math.abs(number) - 1;
      JobError error = number > 0 ? JobError.LEASE_EXPIRED : JobError.JOB_NOT_INFLIGHT;
      settled[acks.places().get(index)] = Settled.refused(acks.heldAt(index).id(), error);
    }
  }

  /** Reads what a statement about {@code part} answers: its settled items. */
  Effects read(ResultSet rows, JobItems<? extends Settlement> part) throws SQLException {
    Set<QueueKey> freed = new HashSet<>();
    Set<String> runnable = new HashSet<>();
    while (rows.next()) {
      int index = rows.getInt("n") - 1;
      settled[part.places().get(index)] =
          new Settled(
              part.heldAt(index).id(),
              null,
              false,
              rows.getBoolean("is_cancelled"),
              rows.getBoolean("is_cancel_requested"));
      String key = rows.getString("limit_key");
      if (key != null) {
        freed.add(new QueueKey(rows.getString("queue"), key));
      }
      if (rows.getBoolean("is_soon")) {
        runnable.add(rows.getString("queue"));
      }
    }
    return new Effects(Set.copyOf(freed), Set.copyOf(runnable));
  }

  /** Finds out why items were refused, if some were. */
  void explain(JobSession session) throws SQLException {
    explain(session, item -> true);
  }

  /** The same, of such items only. */
  void explain(JobSession session, Predicate<Settlement> which) throws SQLException {
    List<Settlement> refused = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < settled.length; i++) {
      if (settled[i] == null && which.test(items.get(i))) {
        refused.add(items.get(i));
        places.add(i);
      }
    }
    if (refused.isEmpty()) {
      return;
    }
    for (Standing standing :
        standings(session, refused.stream().map(item -> item.held().id()).toList())) {
      int index = standing.number() - 1;
      settled[places.get(index)] = verdict(refused.get(index), standing);
    }
    for (int i = 0; i < refused.size(); i++) {
      if (settled[places.get(i)] == null) {
        settled[places.get(i)] =
            Settled.refused(refused.get(i).held().id(), JobError.JOB_NOT_INFLIGHT);
      }
    }
  }

  private static Settled verdict(Settlement item, Standing standing) {
    String id = item.held().id();
    return standing.isRepeat(item)
        ? Settled.repeated(id)
        : Settled.refused(id, standing.error(item.held()));
  }

  /** Where the jobs of these ids stand, of those that exist. */
  static List<Standing> standings(JobSession session, List<String> ids) throws SQLException {
    return session.all(
        JobSettleSql.STANDING, binds -> binds.now(session.time()).texts(ids), Standing::of);
  }

  Answer answer(Effects effects) {
    return new Answer(List.of(settled), effects);
  }
}
