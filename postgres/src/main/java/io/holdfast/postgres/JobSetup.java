package io.holdfast.postgres;

import io.holdfast.HoldfastException;
import io.holdfast.lease.StoreCall;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Makes the tables of jobs ready, once: looks what is there, and creates what is missing, alone and
 * in one transaction. A {@code th_jobs} that TaskHarbor made is completed by {@link JobAdoption},
 * while its clients use it. A failure is not remembered. Safe for use by many threads.
 */
final class JobSetup {
  private static final String OURS = "holdfast";
  private static final String CREATE_SCHEMA = "CREATE SCHEMA IF NOT EXISTS ";

  private final JobTables tables;
  private final Transactions transactions;
  private final Migrations migrations;
  private volatile @Nullable JobNames ready;

  JobSetup(JobTables tables, Transactions transactions, Migrations migrations) {
    this.tables = tables;
    this.transactions = transactions;
    this.migrations = migrations;
  }

  /** The names of the tables, after the first use has made them ready. */
  JobNames ensure(StoreCall call) {
    JobNames known = ready;
    if (known == null) {
      known = prepare(StoreCaller.limits(call));
      ready = known;
    }
    return known;
  }

  private JobNames prepare(Statements.Limits limits) {
    try {
      JobCatalog found = transactions.single("setup", limits, w -> JobCatalog.read(w, tables));
      if (!found.hasJobs() || !found.hasOwn()) {
        found = migrations.changeSchema("setup", limits, this::create);
      }
      if (!found.isAdopted()) {
        new JobAdoption(found.names(), transactions, migrations).adopt(limits);
      }
      return found.names();
    } catch (SQLException e) {
      throw JobFailures.of("setup", false, e);
    } catch (HoldfastException e) {
      throw JobFailures.of("setup", e);
    }
  }

  private JobCatalog create(Watch watch) throws SQLException {
    if (tables.ownSchema().equals(OURS)) {
      Migrations.applyIn(watch);
    }
    JobCatalog found = JobCatalog.read(watch, tables);
    JobNames names = found.names();
    if (!found.hasOwn()) {
      Migrations.execute(watch, CREATE_SCHEMA + LockSql.quoted(names.ownSchema));
      Migrations.execute(watch, ownTables(names.ownSchema));
    }
    if (!found.hasJobs()) {
      Migrations.execute(watch, CREATE_SCHEMA + LockSql.quoted(names.schema));
      for (String script : new String[] {"table", "columns", "indexes", "history"}) {
        Migrations.execute(watch, names.script(script));
      }
    }
    return JobCatalog.read(watch, tables);
  }

  /** The step of the migrations that is about jobs, for any schema. */
  private static String ownTables(String schema) {
    return Migrations.all().stream()
        .filter(step -> step.description().equals("jobs"))
        .map(step -> StreamSetup.in(schema, step.sql()))
        .findAny()
        .orElseThrow();
  }
}
