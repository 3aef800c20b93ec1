package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Makes the lock tables ready, once: looks what is there, and creates only what is missing, alone
 * and in one transaction. A failure is not remembered. Safe for use by many threads.
 */
final class LockSetup {
  private final LockTables tables;
  private final Transactions transactions;
  private final Migrations migrations;
  private volatile @Nullable LockSql ready;

  LockSetup(LockTables tables, Transactions transactions, Migrations migrations) {
    this.tables = tables;
    this.transactions = transactions;
    this.migrations = migrations;
  }

  /** The statements, after the first use has made the tables ready. */
  LockSql sql(LockCall call) {
    LockSql known = ready;
    return known == null ? prepare(tables.autoCreate(), call) : known;
  }

  /** Creates what is missing, whatever the options say. */
  void setup(LockCall call) {
    prepare(true, call);
  }

  private LockSql prepare(boolean create, LockCall call) {
    try {
      LockCatalog catalog =
          transactions.single(
              "setup", LockFailures.limits(call), watch -> LockCatalog.read(watch, tables));
      if (!catalog.isComplete()) {
        if (!create) {
          throw new LockException(
              ErrorCode.INVALID_ARGUMENT, "the lock schema is not set up: run its migration first");
        }
        catalog = migrations.changeSchema("setup", LockFailures.limits(call), this::create);
      }
      ready = catalog.sql();
      return catalog.sql();
    } catch (SQLException e) {
      throw LockFailures.of("setup", e);
    } catch (LockException e) {
      throw e;
    } catch (HoldfastException e) {
      throw new LockException(e.code(), e.getMessage(), e);
    }
  }

  private LockCatalog create(Watch watch) throws SQLException {
    Migrations.applyIn(watch);
    LockCatalog catalog = LockCatalog.read(watch, tables);
    for (String statement : catalog.missing()) {
      Migrations.execute(watch, statement);
    }
    return catalog;
  }

  /** Everything that locks need, as a script for manual migration. */
  static String script(LockTables tables, boolean readableInstants) {
    String schema = tables.schema() == null ? "public" : tables.schema();
    LockSql sql = new LockSql(schema, tables);
    StringBuilder script = new StringBuilder(Migrations.print());
    script.append("\n-- The tables of the locks.\n");
    script.append(sql.script("tables")).append(sql.createLockIdIndex()).append(";\n");
    script.append(sql.createExpiresIndex()).append(";\n");
    script.append(sql.script("counters"));
    if (readableInstants) {
      script.append("\n-- Optional: readable instants.\n").append(sql.addReadableInstants());
      script.append(";\n");
    }
    for (String function : sql.functionNames()) {
      script.append('\n').append(sql.createFunction(function));
    }
    return script.toString();
  }
}
