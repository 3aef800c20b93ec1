package io.holdfast.postgres;

import io.holdfast.job.Cron;
import io.holdfast.job.JobException;
import io.holdfast.job.JobIds;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobUpkeep;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.job.Slots;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires the schedules whose slot has come, in one transaction: whoever holds a schedule's row fires
 * its slots and moves it on, and the others pass by. A slot that was fired all the same has its key
 * taken, so it cannot make a second job.
 */
final class JobTick {
  private static final Logger LOG = LoggerFactory.getLogger(JobTick.class);
  private static final int SCHEDULES = 100;

  static final String NEXT =
      """
      SELECT {now} AS now,
             (SELECT s.next_at FROM {schedules} AS s WHERE s.enabled ORDER BY s.next_at LIMIT 1) AS next_at
      """
          .replace("{now}", JobSession.NOW);

  static final String NEXT_AFTER =
      "SELECT s.next_at FROM {schedules} AS s WHERE s.enabled AND s.next_at > ? ORDER BY s.next_at LIMIT 1";

  static final String DUE =
      """
      SELECT {columns} FROM {schedules} AS s
       WHERE s.enabled AND s.next_at <= ?
       ORDER BY s.next_at, s.name COLLATE "C"
       LIMIT ?
         FOR UPDATE SKIP LOCKED
      """
          .replace("{columns}", JobScheduleRows.COLUMNS);

  /** A statement of its own: it sees the jobs of whoever held these rows before. */
  static final String UNFINISHED =
      "SELECT j.id FROM {jobs} AS j WHERE j.id = ANY (?::text[]) AND j.status IN ('ready', 'inflight')";

  static final String ADVANCE =
      """
      UPDATE {schedules} AS s
         SET next_at = n.next_at, last_slot = n.last_slot, last_job_id = n.last_job_id
        FROM unnest(?::text[], ?::timestamptz[], ?::timestamptz[], ?::text[])
             AS n (name, next_at, last_slot, last_job_id)
       WHERE s.name = n.name
      """;

  static final String DISABLE = "UPDATE {schedules} SET enabled = false WHERE name = ?";

  private final JobSession session;
  private final Instant now;
  private final JobScheduleInsert insert;

  private JobTick(JobSession session, Instant now, JobIds ids) {
    this.session = session;
    this.now = now;
    this.insert = new JobScheduleInsert(session, ids, now);
  }

  /** The clock, and when any schedule fires next; null: never. */
  record Next(Instant now, @Nullable Instant nextAt) {
    boolean isDue() {
      return nextAt != null && !nextAt.isAfter(now);
    }

    @Nullable Duration in() {
      if (nextAt == null) {
        return null;
      }
      return isDue() ? Duration.ZERO : Duration.between(now, nextAt);
    }
  }

  static Next next(JobSession session) throws SQLException {
    return session
        .all(
            NEXT,
            binds -> binds.now(session.time()),
            row -> new Next(StreamRows.required(row, "now"), StreamRows.instant(row, "next_at")))
        .get(0);
  }

  /** Fires what is due, in a transaction. */
  static JobUpkeep.Ticked fire(JobSession session, JobIds ids) throws SQLException {
    JobTick tick = new JobTick(session, next(session).now(), ids);
    List<Schedule> due = tick.due();
    tick.fire(due);
    return new JobUpkeep.Ticked(
        tick.insert.count(), tick.insert.effects(), tick.nextIn(due.size() == SCHEDULES));
  }

  /** What is still due when all was taken is somebody else's, who has its row. */
  private @Nullable Duration nextIn(boolean hasMore) throws SQLException {
    Instant nextAt =
        hasMore
            ? next(session).nextAt()
            : session.first(
                NEXT_AFTER, binds -> binds.at(now), row -> StreamRows.required(row, "next_at"));
    return new Next(now, nextAt).in();
  }

  private void fire(List<Schedule> due) throws SQLException {
    List<Firing> firings = new ArrayList<>();
    for (Schedule schedule : due) {
      Slots slots = slots(schedule);
      if (slots == null) {
        session.update(DISABLE, binds -> binds.text(schedule.name()));
      } else {
        firings.add(new Firing(schedule, slots));
      }
    }
    dropOverlapping(firings);
    List<JobRow> rows = takeRows(firings);
    while (!rows.isEmpty()) {
      insert.insert(rows);
      firings.forEach(Firing::judge);
      rows = takeRows(firings);
    }
    advance(firings);
  }

  private List<Schedule> due() throws SQLException {
    return session.all(DUE, binds -> binds.at(now).integer(SCHEDULES), JobScheduleRows::schedule);
  }

  /** What a schedule is to do; null if nobody can tell any more. */
  private @Nullable Slots slots(Schedule schedule) {
    ScheduleSpec spec = schedule.spec();
    try {
      Cron cron = Cron.parse(spec.cron(), spec.zone());
      return Slots.due(cron, schedule.nextAt(), now, spec.missed());
    } catch (JobException e) {
      LOG.warn("schedule '{}' does not fire any more: {}", schedule.name(), e.getMessage());
      return null;
    }
  }

  private void dropOverlapping(List<Firing> firings) throws SQLException {
    List<String> last =
        firings.stream()
            .filter(Firing::isAlone)
            .map(firing -> firing.schedule.lastJobId())
            .filter(Objects::nonNull)
            .toList();
    if (!last.isEmpty()) {
      Set<String> unfinished =
          new HashSet<>(session.all(UNFINISHED, b -> b.texts(last), row -> row.getString(1)));
      firings.forEach(firing -> firing.dropIfRunning(unfinished));
    }
  }

  private List<JobRow> takeRows(List<Firing> firings) {
    List<JobRow> rows = new ArrayList<>();
    firings.forEach(firing -> rows.addAll(firing.take()));
    return rows;
  }

  private void advance(List<Firing> firings) throws SQLException {
    if (!firings.isEmpty()) {
      session.update(
          ADVANCE,
          binds ->
              binds
                  .texts(firings.stream().map(firing -> firing.schedule.name()).toList())
                  .instants(firings.stream().map(firing -> firing.slots.next()).toList())
                  .instants(firings.stream().map(firing -> firing.lastSlot).toList())
                  .texts(firings.stream().map(firing -> firing.lastJobId).toList()));
    }
  }

  /** One schedule on its way through its slots. */
  private final class Firing {
    private final Schedule schedule;
    private final Slots slots;
    private final Deque<Instant> open;
    private final List<Attempt> attempts = new ArrayList<>();
    private @Nullable Instant lastSlot;
    private @Nullable String lastJobId;

    Firing(Schedule schedule, Slots slots) {
      this.schedule = schedule;
      this.slots = slots;
      this.open = new ArrayDeque<>(slots.fire());
      this.lastSlot = schedule.lastSlot();
      this.lastJobId = schedule.lastJobId();
    }

    /** A slot and the job that it may get. */
    private record Attempt(Instant slot, JobRow row) {}

    boolean isAlone() {
      return schedule.spec().overlap() == ScheduleSpec.Overlap.SKIP;
    }

    void dropIfRunning(Set<String> unfinished) {
      if (isAlone() && lastJobId != null && unfinished.contains(lastJobId)) {
        open.clear();
      }
    }

    /** All slots, or only the next one if its job would keep the others from firing. */
    List<JobRow> take() {
      attempts.clear();
      while (!open.isEmpty() && (attempts.isEmpty() || !isAlone())) {
        Instant slot = open.remove();
        String key = Slots.key(schedule.name(), slot);
        attempts.add(new Attempt(slot, insert.row(schedule.spec(), key)));
      }
      return attempts.stream().map(Attempt::row).toList();
    }

    void judge() {
      for (Attempt attempt : attempts) {
        if (insert.isInserted(attempt.row())) {
          lastSlot = attempt.slot();
          lastJobId = attempt.row().id();
          if (isAlone()) {
            open.clear();
          }
        }
      }
    }
  }
}
