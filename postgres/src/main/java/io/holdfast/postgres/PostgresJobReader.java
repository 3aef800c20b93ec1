package io.holdfast.postgres;

import io.holdfast.job.Job;
import io.holdfast.job.JobParts;
import io.holdfast.lease.StoreCall;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Looks at jobs, one statement each time. Safe for use by many threads. */
final class PostgresJobReader implements JobParts {
  private static final String FIND =
      """
      SELECT {columns}, {now} AS now FROM {jobs} AS j WHERE j.id = ?
      """
          .replace("{now}", JobSession.NOW);

  static final String TRACE =
      """
      SELECT {columns}, {now} AS now FROM {jobs} AS j
       WHERE j.trace_id = ? ORDER BY j.created_at, j.id LIMIT ?
      """
          .replace("{columns}", JobRows.COLUMNS_WITHOUT_PAYLOAD)
          .replace("{now}", JobSession.NOW);

  private static final String WITH_PAYLOAD = FIND.replace("{columns}", JobRows.COLUMNS);
  private static final String WITHOUT_PAYLOAD =
      FIND.replace("{columns}", JobRows.COLUMNS_WITHOUT_PAYLOAD);

  private final JobKernel kernel;

  PostgresJobReader(JobKernel kernel) {
    this.kernel = kernel;
  }

  @Override
  public Optional<Job> find(String id, boolean withPayload, StoreCall call) {
    String sql = withPayload ? WITH_PAYLOAD : WITHOUT_PAYLOAD;
    return kernel.look(
        "find job",
        call,
        session ->
            Optional.ofNullable(
                session.first(
                    sql, binds -> binds.now(kernel.time()).text(id), PostgresJobReader::job)));
  }

  @Override
  public Answer list(Request request, StoreCall call) {
    return kernel.look("list jobs", call, session -> JobPages.page(session, request));
  }

  @Override
  public List<Job> trace(String traceId, StoreCall call) {
    return kernel.look(
        "trace jobs",
        call,
        session ->
            session.all(
                TRACE,
                binds -> binds.now(kernel.time()).text(traceId).integer(TRACE_LIMIT),
                PostgresJobReader::job));
  }

  @Override
  public Optional<Facts> facts(String id, StoreCall call) {
    return kernel.look(
        "explain job", call, session -> Optional.ofNullable(JobFacts.of(session, id)));
  }

  private static Job job(ResultSet row) throws SQLException {
    return JobRows.job(row, StreamRows.required(row, "now"));
  }
}
