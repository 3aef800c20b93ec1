package io.holdfast.postgres;

import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a {@code th_jobs} that somebody else made has of what ours has.
 *
 * @param checks constraints that hold for new rows; those of {@code valid} also for old ones
 * @param isBusy whether somebody builds an index, or does something else that keeps others from it
 */
record JobSurvey(Set<String> columns, Constraints constraints, Indexes indexes, boolean isBusy) {
  /** Reads the catalogue's tables: functions that look names up may answer from a cache. */
  private static final String READ =
      """
      WITH jobs AS MATERIALIZED (
        SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE c.relname = 'th_jobs' AND n.nspname = ?)
      SELECT ARRAY(SELECT a.attname::text FROM pg_attribute AS a
                    WHERE a.attrelid = jobs.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
             ARRAY(SELECT c.conname::text FROM pg_constraint AS c WHERE c.conrelid = jobs.oid) AS constraints,
             ARRAY(SELECT c.conname::text FROM pg_constraint AS c
                    WHERE c.conrelid = jobs.oid AND c.convalidated) AS valid_constraints,
             ARRAY(SELECT c.relname::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
                    WHERE i.indrelid = jobs.oid) AS indexes,
             ARRAY(SELECT c.relname::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
                    WHERE i.indrelid = jobs.oid AND i.indisvalid) AS valid_indexes,
             EXISTS (SELECT FROM pg_locks AS l
                      WHERE l.locktype = 'relation' AND l.relation = jobs.oid
                        AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
                        AND l.mode = 'ShareUpdateExclusiveLock' AND l.pid <> pg_backend_pid()) AS is_busy
        FROM jobs
      """;

  /** By name. */
  record Constraints(Set<String> all, Set<String> valid) {}

  /** By name; one that is not valid was left behind by a build, or is being built. */
  record Indexes(Set<String> all, Set<String> valid) {}

  static JobSurvey read(Watch watch, String schema) throws SQLException {
    try (PreparedStatement statement = watch.prepare(READ)) {
      Binds.of(statement).text(schema);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new JobSurvey(
            names(row.getArray("columns")),
            new Constraints(
                names(row.getArray("constraints")), names(row.getArray("valid_constraints"))),
            new Indexes(names(row.getArray("indexes")), names(row.getArray("valid_indexes"))),
            row.getBoolean("is_busy"));
      }
    }
  }

  private static Set<String> names(Array array) throws SQLException {
    return Arrays.stream((String[]) array.getArray()).collect(Collectors.toUnmodifiableSet());
  }

  boolean hasColumns(Collection<String> wanted) {
    return columns.containsAll(wanted);
  }

  /** Those of {@code wanted} that new rows need not obey yet. */
  List<String> missingConstraints(Collection<String> wanted) {
    return wanted.stream().filter(name -> !constraints.all().contains(name)).toList();
  }

  /** The first of {@code wanted} that nobody has compared with old rows yet. */
  Optional<String> firstUnproven(Collection<String> wanted) {
    return wanted.stream().filter(name -> !constraints.valid().contains(name)).findFirst();
  }

  /** The first of {@code wanted} that cannot be used. */
  Optional<String> firstUnusable(Collection<String> wanted) {
    return wanted.stream().filter(name -> !indexes.valid().contains(name)).findFirst();
  }

  /** The first of {@code unwanted} that is there. */
  Optional<String> firstPresent(Collection<String> unwanted) {
    return unwanted.stream().filter(indexes.all()::contains).findFirst();
  }

  /** Whether there is an index of this name that nobody can use. */
  boolean isLeftOver(String index) {
    return indexes.all().contains(index) && !indexes.valid().contains(index);
  }
}
