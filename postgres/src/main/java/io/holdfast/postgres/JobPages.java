package io.holdfast.postgres;

import io.holdfast.job.Job;
import io.holdfast.job.JobParts;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pages of jobs, each read in the order of one index from where the last page ended. A page without
 * a filter reads one row more than it shows. One with a filter reads on until it is full, but never
 * more than {@link #MOST} rows: the last of those comes along, whether it fits or not, so that the
 * next page knows where to begin.
 */
final class JobPages {
  static final int MOST = 10_000;

  private static final String BEGINNING = "-infinity";
  private static final String END = "infinity";

  private static final String PAGE =
      """
      WITH clock AS MATERIALIZED (SELECT {now} AS now)
      SELECT j.*, (SELECT now FROM clock) AS now FROM (
        SELECT j.*, row_number() OVER () AS seen FROM (
          {part}
          LIMIT {most}) AS j) AS j
       WHERE j.fits OR j.seen = {most}
       LIMIT ?
      """;

  private static final String PART =
      """
      SELECT {columns}, {at} AS place_at, {fits} AS fits
        FROM {jobs} AS j
       WHERE j.queue = ? AND {where}
         AND ({at}, j.id) > ({after}, ?::text)
       ORDER BY {at}, j.id
      """;

  private static final String GATED =
      """
      SELECT {columns}, j.gate_at AS place_at, {fits} AS fits
        FROM {jobs} AS j
       WHERE j.queue = ? AND j.gate_at IS NOT NULL
         AND (j.limit_key, j.gate_at, j.id) > (?::text, ?::text::timestamptz, ?::text)
       ORDER BY j.limit_key, j.gate_at, j.id
      """;

  /** Those of which it is not known when they ended come behind the others, by the same index. */
  private static final String FINISHED =
      """
      (SELECT {columns}, j.finished_at AS place_at, {fits} AS fits
         FROM {jobs} AS j
        WHERE j.queue = ? AND j.status = 'done'
          AND (j.finished_at, j.id) > (?::text::timestamptz, ?::text)
        ORDER BY j.finished_at, j.id LIMIT {most})
      UNION ALL
      (SELECT {columns}, j.finished_at AS place_at, {fits} AS fits
         FROM {jobs} AS j
        WHERE j.queue = ? AND j.status = 'done' AND j.finished_at IS NULL AND j.id > ?::text
        ORDER BY j.finished_at, j.id LIMIT {most})
      """;

  private static final String CLOCK = "(SELECT now FROM clock)";

  private static final String DUE =
      "j.status = 'ready' AND j.run_at IS NOT NULL AND j.run_at <= " + CLOCK;

  /** A difference: of two lower bounds of the index, the scan might begin at the lower one. */
  private static final String SCHEDULED =
      "j.status = 'ready' AND j.run_at IS NOT NULL AND j.run_at < "
          + JobRows.SENTINEL_SQL
          + " AND j.run_at - "
          + CLOCK
          + " > interval '0'";

  private static final Map<JobParts.Part, String> SQL = new EnumMap<>(JobParts.Part.class);

  static {
    for (JobParts.Part part : JobParts.Part.values()) {
      SQL.put(part, statement(part));
    }
  }

  private JobPages() {}

  /** A row that was looked at. */
  private record Seen(Job job, JobParts.Position place, boolean fits, int number) {}

  /** A page. */
  static JobParts.Answer page(JobSession session, JobParts.Request request) throws SQLException {
    List<Seen> seen =
        session.all(
            sql(request.part()),
            binds -> bind(binds.now(session.time()), request),
            row -> seen(row, request));
    return answer(seen, request.limit());
  }

  private static JobParts.Answer answer(List<Seen> seen, int limit) {
    List<Job> jobs = new ArrayList<>();
    JobParts.Position last = null;
    for (Seen row : seen) {
      if (jobs.size() == limit && row.fits()) {
        return new JobParts.Answer(jobs, last);
      }
      last = row.place();
      if (row.fits()) {
        jobs.add(row.job());
      }
    }
    boolean mayGoOn = !seen.isEmpty() && seen.get(seen.size() - 1).number() == MOST;
    return new JobParts.Answer(jobs, mayGoOn ? last : null);
  }

  private static Seen seen(ResultSet row, JobParts.Request request) throws SQLException {
    Job job = JobRows.job(row, StreamRows.required(row, "now"));
    String key = request.part() == JobParts.Part.GATED ? job.spec().keys().limit() : null;
    return new Seen(
        job,
        new JobParts.Position(StreamRows.instant(row, "place_at"), key, job.id()),
        row.getBoolean("fits"),
        row.getInt("seen"));
  }

  static void bind(Binds binds, JobParts.Request request) throws SQLException {
    JobParts.Position after = request.after();
    String id = after == null ? "" : after.id();
    binds.text(request.type()).text(request.queue());
    switch (request.part()) {
      case GATED -> binds.text(key(after)).text(at(after)).text(id);
      case FINISHED, SUCCEEDED, CANCELLED -> bindFinished(binds, request, id);
      default -> binds.text(at(after)).text(id);
    }
    binds.integer(request.limit() + 1);
  }

  private static void bindFinished(Binds binds, JobParts.Request request, String id)
      throws SQLException {
    JobParts.Position after = request.after();
    boolean isAmongUnknown = after != null && after.at() == null;
    binds.text(isAmongUnknown ? END : at(after)).text(id);
    binds.text(request.type()).text(request.queue()).text(isAmongUnknown ? id : "");
  }

  private static String at(JobParts.@Nullable Position after) {
    return after == null || after.at() == null ? BEGINNING : after.at().toString();
  }

  private static String key(JobParts.@Nullable Position after) {
    return after == null || after.key() == null ? "" : after.key();
  }

  /** The statement for a page of this part. */
  static String sql(JobParts.Part part) {
    return SQL.get(part);
  }

  private static String statement(JobParts.Part part) {
    return PAGE.replace("{part}", rows(part))
        .replace("{columns}", JobRows.COLUMNS_WITHOUT_PAYLOAD)
        .replace("{fits}", fits(part))
        .replace("{after}", "?::text::timestamptz")
        .replace("{most}", Integer.toString(MOST))
        .replace("{now}", JobSession.NOW);
  }

  private static String rows(JobParts.Part part) {
    return switch (part) {
      case INFLIGHT -> part("j.lease_expires_at", "j.status = 'inflight'");
      case READY ->
          part("COALESCE(j.rank_at, j.created_at)", "j.status = 'ready' AND j.run_at IS NULL");
      case DUE -> part("j.run_at", DUE);
      case SCHEDULED ->
          part("j.run_at", SCHEDULED).replace("{after}", "greatest({after}, " + CLOCK + ")");
      case DLQ -> part("j.dlq_failed_at", "j.status = 'dlq'");
      case GATED -> GATED;
      case FINISHED, SUCCEEDED, CANCELLED -> FINISHED;
    };
  }

  private static String part(String at, String where) {
    return PART.replace("{where}", where).replace("{at}", at);
  }

  private static String fits(JobParts.Part part) {
    String type = "j.type = coalesce(?::text, j.type)";
    return switch (part) {
      case SUCCEEDED -> "(" + type + " AND j.outcome IS DISTINCT FROM 'cancelled')";
      case CANCELLED -> "(" + type + " AND j.outcome IS NOT DISTINCT FROM 'cancelled')";
      default -> "(" + type + ")";
    };
  }
}
