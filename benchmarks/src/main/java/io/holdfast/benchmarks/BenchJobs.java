package io.holdfast.benchmarks;

import io.holdfast.job.NewJob;
import io.holdfast.postgres.JobTables;
import io.holdfast.postgres.PoolSettings;
import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.postgres.PostgresOptions;
import io.holdfast.postgres.StatementListener;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Jobs of ours in a schema of their own, and a way to their table behind the service's back. */
record BenchJobs(Place place, String schema) {
  static final String QUEUE = "bench";
  static final String TYPE = "bench";

  /** The key that {@link #loadGated} loads jobs of. */
  static final String KEY = "taken";

  private static final String LOAD_READY =
      """
      INSERT INTO {table} (id, type, queue, payload, created_at)
      SELECT '0000' || lpad(to_hex(n), 28, '0'), 'bench', 'bench', '{"id":1}',
             now() - interval '1 hour' + n * interval '1 microsecond'
        FROM generate_series(1, {rows}) AS series (n)
      """;

  /** One of them has the only place, so nobody else is let in. */
  private static final String LOAD_GATED =
      """
      INSERT INTO {table} (id, type, queue, payload, created_at, limit_key, gate_at, run_at, status,
                           lease_token, lease_expires_at)
      SELECT '0001' || lpad(to_hex(n), 28, '0'), 'bench', 'bench', '{"id":1}', now(), '{key}',
             CASE WHEN n > 0 THEN now() END, CASE WHEN n > 0 THEN timestamptz
               '9999-12-31 23:59:59.999999+00' END, CASE WHEN n > 0 THEN 'ready' ELSE 'inflight' END,
             CASE WHEN n = 0 THEN 'somebody' END, CASE WHEN n = 0 THEN now() + interval '1 day' END
        FROM generate_series(0, {rows}) AS series (n)
      """;

  /** Its table, as it stands in a statement. */
  String table() {
    return schema + ".th_jobs";
  }

  /** A service with the pool size that all subjects have. */
  PostgresHoldfast open() {
    return open((operation, took, error) -> {});
  }

  /** The same with somebody who hears of every call. */
  PostgresHoldfast open(StatementListener listener) {
    PoolSettings pool = PoolSettings.DEFAULTS.withMaxConnections(place.poolSize());
    return PostgresHoldfast.open(
        place.url(),
        PostgresOptions.DEFAULTS
            .withPool(pool)
            .withListener(listener)
            .withJobTables(JobTables.DEFAULTS.inSchema(schema)));
  }

  /** New jobs with a small payload. */
  static List<NewJob> drafts(int from, int count) {
    List<NewJob> drafts = new ArrayList<>(count);
    for (int i = from; i < from + count; i++) {
      drafts.add(NewJob.of(TYPE).queue(QUEUE).payload(payload(i)));
    }
    return drafts;
  }

  static byte[] payload(int number) {
    return ("{\"id\":" + number + "}").getBytes(StandardCharsets.UTF_8);
  }

  /** Jobs that may run at once. */
  void loadReady(long rows) throws SQLException {
    load(LOAD_READY, rows);
  }

  /** Jobs that wait for {@link #KEY}. */
  void loadGated(long rows) throws SQLException {
    load(LOAD_GATED.replace("{key}", KEY), rows);
  }

  /** Without what another measure left. */
  void empty() throws SQLException {
    open().close();
    place.run("TRUNCATE " + table());
  }

  private void load(String sql, long rows) throws SQLException {
    place.run(sql.replace("{table}", table()).replace("{rows}", Long.toString(rows)));
    place.run("VACUUM ANALYZE " + table());
  }
}
