package io.holdfast.postgres;

import io.holdfast.HoldfastException;
import io.holdfast.job.JobException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes a {@code th_jobs} that TaskHarbor made, while its clients use it.
 *
 * <p>Indexes of a table in use are built CONCURRENTLY, which is no transaction: it can be killed in
 * the middle, and it cannot be done under a lock of ours. So nothing is remembered but what the
 * catalogue shows. One step at a time is chosen by looking at it, whoever did the steps before;
 * then it is looked at again, until nothing is left. Two processes may choose the same step. Then
 * one of them fails, at worst both do, and the next look tells what is still to be done.
 *
 * <p>An index that cannot be used was left by a build that was killed, or is one under way. Only
 * who holds the lock that a build holds can tell; he drops it in that same transaction. Nobody
 * begins a build while another one runs: he would wait for its lock with a snapshot that the other
 * waits for.
 *
 * <p>A build takes as long as it takes: only the caller's cancellation ends it, not the time limit
 * of the call that happened to be first.
 */
final class JobAdoption {
  private static final Logger LOG = LoggerFactory.getLogger(JobAdoption.class);
  private static final Duration PATIENCE = Duration.ofHours(24);
  private static final int DUPLICATES_TO_NAME = 10;

  /** What rivals do to each other here: deadlock, lock timeout, is there already, is gone. */
  private static final Set<String> LOST_AGAINST_A_RIVAL =
      Set.of("40P01", "55P03", "42P07", "42710", "42704", "42P01", "42701");

  private static final String UNIQUE_VIOLATION = "23505";
  private static final String KEY = "th_jobs_queue_idempotency_key_uniq";

  private static final String ADD_KEY =
      "ALTER TABLE {jobs} ADD COLUMN IF NOT EXISTS idempotency_key text";

  private static final String BUILD_KEY =
      "CREATE UNIQUE INDEX CONCURRENTLY " + KEY + " ON {jobs} (queue, idempotency_key)";

  private static final String ATTACH_KEY =
      "ALTER TABLE {jobs} ADD CONSTRAINT " + KEY + " UNIQUE USING INDEX " + KEY;

  private static final String DUPLICATES =
      """
      SELECT queue, idempotency_key, count(*) FROM {jobs}
       WHERE idempotency_key IS NOT NULL
       GROUP BY queue, idempotency_key HAVING count(*) > 1
       ORDER BY queue, idempotency_key LIMIT ?
      """;

  private static final String KEEP_BUILDERS_OUT =
      "LOCK TABLE {jobs} IN SHARE UPDATE EXCLUSIVE MODE NOWAIT";

  private final JobNames names;
  private final Transactions transactions;
  private final Migrations migrations;
  private final Map<String, String> builds;

  JobAdoption(JobNames names, Transactions transactions, Migrations migrations) {
    this.names = names;
    this.transactions = transactions;
    this.migrations = migrations;
    this.builds = builds(names);
  }

  /** Our indexes by name, and how each is built. */
  private static Map<String, String> builds(JobNames names) {
    Map<String, String> builds = new LinkedHashMap<>();
    for (String statement : names.indexes()) {
      String name = statement.split("\\s+")[2];
      builds.put(name, statement.replace("CREATE INDEX", "CREATE INDEX CONCURRENTLY"));
    }
    return builds;
  }

  /** One thing to do, and whether it is kept waiting by who works on the table. */
  private record Step(String what, boolean waitsForOthers, Doing doing) {}

  @FunctionalInterface
  private interface Doing {
    void run(Statements.Limits limits) throws SQLException;
  }

  void adopt(Statements.Limits limits) throws SQLException {
    Statements.Limits patient = Statements.Limits.of(limits.cancellation(), PATIENCE);
    String last = "";
    while (true) {
      JobSurvey survey = transactions.single("adopt", patient, this::survey);
      Step step = next(survey, patient);
      if (step == null) {
        return;
      }
      if (!last.equals(step.what())) {
        LOG.info("taking over {}.th_jobs: {}", names.schema, step.what());
        last = step.what();
      }
      if ((step.waitsForOthers() && survey.isBusy()) || !isDone(step, patient)) {
        Migrations.awaitTurn("adopt", patient);
      }
    }
  }

  private JobSurvey survey(Watch watch) throws SQLException {
    return JobSurvey.read(watch, names.schema);
  }

  /** Does a step; false if somebody else was faster, or in the way. */
  private static boolean isDone(Step step, Statements.Limits limits) throws SQLException {
    try {
      step.doing().run(limits);
      return true;
    } catch (SQLException e) {
      if (!isRivalry(e)) {
        throw e;
      }
    } catch (HoldfastException e) {
      if (!(e.getCause() instanceof SQLException cause) || !isRivalry(cause)) {
        throw e;
      }
    }
    return false;
  }

  private static boolean isRivalry(SQLException e) {
    return e.getSQLState() != null && LOST_AGAINST_A_RIVAL.contains(e.getSQLState());
  }

  private @Nullable Step next(JobSurvey survey, Statements.Limits limits) throws SQLException {
    Step step = nextOfRows(survey);
    if (step == null) {
      step = nextOfKey(survey, limits);
    }
    if (step == null) {
      step = nextOfIndexes(survey);
    }
    return step == null ? nextOfHistory(limits) : step;
  }

  private @Nullable Step nextOfRows(JobSurvey survey) {
    if (!survey.hasColumns(JobCatalog.COLUMNS)) {
      List<String> added = List.of(ADD_KEY, names.script("columns"));
      return new Step(
          "add columns",
          false,
          limits -> change(limits, now -> now.hasColumns(JobCatalog.COLUMNS) ? List.of() : added));
    }
    if (!survey.missingConstraints(JobChecks.names()).isEmpty()) {
      return new Step("add checks", false, this::addChecks);
    }
    return survey
        .firstUnproven(JobChecks.names())
        .map(name -> new Step("validate " + name, true, limits -> validate(name, limits)))
        .orElse(null);
  }

  private void addChecks(Statements.Limits limits) throws SQLException {
    JobChecks.clearLeases(names, transactions, limits);
    change(limits, now -> JobChecks.added(now.missingConstraints(JobChecks.names())));
  }

  private void validate(String name, Statements.Limits limits) throws SQLException {
    // Since leases were cleared, and until the check stood, somebody may have left others.
    JobChecks.clearLeases(names, transactions, limits);
    execute(limits, JobChecks.validated(name));
  }

  private @Nullable Step nextOfKey(JobSurvey survey, Statements.Limits limits) throws SQLException {
    if (survey.constraints().all().contains(KEY)) {
      return null;
    }
    if (survey.isLeftOver(KEY)) {
      return dropLeftOver(KEY);
    }
    if (survey.indexes().valid().contains(KEY)) {
      return new Step("attach " + KEY, false, this::attachKey);
    }
    refuseDuplicates(limits);
    return new Step("build " + KEY, true, this::buildKey);
  }

  private void attachKey(Statements.Limits limits) {
    change(limits, now -> now.constraints().all().contains(KEY) ? List.of() : List.of(ATTACH_KEY));
  }

  private void buildKey(Statements.Limits limits) throws SQLException {
    try {
      execute(limits, BUILD_KEY);
    } catch (SQLException e) {
      // A duplicate that came after the look; the next one names it.
      if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
        throw e;
      }
    }
  }

  private void refuseDuplicates(Statements.Limits limits) throws SQLException {
    List<String> found = transactions.single("adopt", limits, this::duplicates);
    if (!found.isEmpty()) {
      throw JobException.invalid(
          "th_jobs has idempotency keys that occur more than once in a queue, beginning with "
              + String.join(", ", found)
              + ": remove all but one row of each");
    }
  }

  private List<String> duplicates(Watch watch) throws SQLException {
    List<String> found = new ArrayList<>();
    try (PreparedStatement statement = watch.prepare(names.sql(DUPLICATES))) {
      Binds.of(statement).integer(DUPLICATES_TO_NAME);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          String text = "'%s' in '%s' (%d rows)";
          found.add(text.formatted(row.getString(2), row.getString(1), row.getInt(3)));
        }
      }
    }
    return found;
  }

  private @Nullable Step nextOfIndexes(JobSurvey survey) {
    Optional<String> unusable = survey.firstUnusable(builds.keySet());
    if (unusable.isPresent()) {
      String name = unusable.get();
      String build = String.valueOf(builds.get(name));
      return survey.isLeftOver(name)
          ? dropLeftOver(name)
          : new Step("build " + name, true, limits -> execute(limits, build));
    }
    return survey
        .firstPresent(JobCatalog.REPLACED)
        .map(
            name ->
                new Step(
                    "drop " + name,
                    true,
                    limits -> execute(limits, "DROP INDEX CONCURRENTLY IF EXISTS " + full(name))))
        .orElse(null);
  }

  private String full(String index) {
    return LockSql.quoted(names.schema) + "." + index;
  }

  private Step dropLeftOver(String index) {
    return new Step(
        "drop what is left of " + index,
        true,
        limits ->
            migrations.changeSchema(
                "adopt",
                limits,
                watch -> {
                  Migrations.execute(watch, names.sql(KEEP_BUILDERS_OUT));
                  if (survey(watch).isLeftOver(index)) {
                    Migrations.execute(watch, "DROP INDEX " + full(index));
                  }
                  return index;
                }));
  }

  /** The last step: TaskHarbor's own migration must not think that all is done before it is. */
  private @Nullable Step nextOfHistory(Statements.Limits limits) throws SQLException {
    boolean isWritten =
        transactions.single("adopt", limits, watch -> JobCatalog.hasHistory(watch, names));
    return isWritten ? null : new Step("note its steps as done", false, this::writeHistory);
  }

  private void writeHistory(Statements.Limits limits) throws SQLException {
    execute(limits, "ANALYZE {jobs}");
    change(limits, now -> List.of(names.script("history")));
  }

  /** Statements that what is found then asks for, alone among all who change the schema. */
  private void change(Statements.Limits limits, Function<JobSurvey, List<String>> statements) {
    migrations.changeSchema(
        "adopt",
        limits,
        watch -> {
          for (String statement : statements.apply(survey(watch))) {
            Migrations.execute(watch, names.sql(statement));
          }
          return true;
        });
  }

  /** A statement that may be no part of a transaction. */
  private void execute(Statements.Limits limits, String statement) throws SQLException {
    transactions.single(
        "adopt",
        limits,
        watch -> {
          Migrations.execute(watch, names.sql(statement));
          return true;
        });
  }
}
