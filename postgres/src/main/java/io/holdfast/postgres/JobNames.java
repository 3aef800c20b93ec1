package io.holdfast.postgres;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tables of jobs by their full names, put into statements that name them {@code {jobs}}, {@code
 * {history}}, {@code {queues}}, {@code {limits}}, {@code {keys}}, {@code {workers}} and {@code
 * {schedules}}. Safe for use by many threads.
 */
final class JobNames {
  /** The schema of {@code th_jobs}. */
  final String schema;

  /** The schema of the other tables. */
  final String ownSchema;

  private final Map<String, String> filled = new ConcurrentHashMap<>();

  JobNames(String schema, String ownSchema) {
    this.schema = schema;
    this.ownSchema = ownSchema;
  }

  /** The statement with names; made once for each constant. */
  String sql(String statement) {
    String known = filled.get(statement);
    return known == null ? filled.computeIfAbsent(statement, this::fill) : known;
  }

  private String fill(String statement) {
    String shared = LockSql.quoted(schema) + ".";
    String own = LockSql.quoted(ownSchema) + ".";
    return statement
        .replace("{jobs}", shared + "th_jobs")
        .replace("{history}", shared + "th_schema_migrations")
        .replace("{queues}", own + "job_queues")
        .replace("{limits}", own + "job_limits")
        .replace("{keys}", own + "job_keys")
        .replace("{workers}", own + "job_workers")
        .replace("{schedules}", own + "job_schedules");
  }

  /** A script of the jar, {@code table}, {@code columns}, {@code indexes} or {@code history}. */
  String script(String name) {
    return fill(Resources.text("jobs/" + name + ".sql"));
  }

  /** The statements that make our indexes, one each. */
  List<String> indexes() {
    return Arrays.stream(script("indexes").split(";\\s*"))
        .map(statement -> statement.substring(statement.indexOf("CREATE INDEX")))
        .toList();
  }
}
