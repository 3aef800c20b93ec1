package io.holdfast.postgres;

import io.holdfast.job.Jobs;
import io.holdfast.testkit.net.TcpProxy;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** One process over the jobs of a fixture, with connections of its own, and how it is disturbed. */
final class JobNode implements AutoCloseable {
  final String name = TestDatabase.unique("node");
  final PostgresHoldfast holdfast;
  final Jobs jobs;

  /** How often each database operation was called. */
  final Map<String, Integer> operations = new ConcurrentHashMap<>();

  private final JobFixture fixture;

  JobNode(JobFixture fixture) {
    this(fixture, TestDatabase.url(), options -> options);
  }

  JobNode(JobFixture fixture, String url, UnaryOperator<PostgresOptions> change) {
    this.fixture = fixture;
    PostgresOptions options =
        change.apply(
            PostgresOptions.DEFAULTS
                .withJobTables(fixture.tables)
                .withListener(
                    (operation, took, error) -> operations.merge(operation, 1, Integer::sum)));
    String own = url + (url.contains("?") ? "&" : "?") + "ApplicationName=" + name;
    this.holdfast = PostgresHoldfast.open(own, options);
    this.jobs = holdfast.jobs();
  }

  /** A process whose every byte passes {@code proxy}, statements in clear text. */
  static JobNode behind(JobFixture fixture, TcpProxy proxy) {
    String url =
        TestDatabase.url("prepareThreshold=0&sslmode=disable")
            .replaceFirst("//[^/]+/", "//" + proxy.host() + ":" + proxy.port() + "/");
    return new JobNode(fixture, url, options -> options);
  }

  static TcpProxy proxy() throws IOException {
    URI address = URI.create(TestDatabase.url().substring("jdbc:".length()));
    return TcpProxy.to(address.getHost(), address.getPort() < 0 ? 5432 : address.getPort());
  }

  /** How many jobs of the queue have this status. */
  long count(String status) {
    return Long.parseLong(
        Objects.requireNonNull(
            fixture.query("SELECT count(*) FROM {jobs} WHERE status = '" + status + "'")));
  }

  /** Waits until so many jobs have this status. */
  void await(String status, long jobs) throws Exception {
    QueueFaultTest.await(() -> count(status) == jobs);
  }

  /** How many of its statements wait for a lock. */
  long blocked() {
    return sessions("AND wait_event_type = 'Lock'");
  }

  void awaitBlocked() throws Exception {
    QueueFaultTest.await(() -> blocked() > 0);
  }

  private long sessions(String which) {
    return Long.parseLong(
        Objects.requireNonNull(
            TestDatabase.query(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '"
                    + name
                    + "' "
                    + which)));
  }

  /** Ends every server process that serves it now. */
  void terminate() {
    TestDatabase.query(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '"
            + name
            + "'");
  }

  @Override
  public void close() {
    holdfast.close();
  }
}
