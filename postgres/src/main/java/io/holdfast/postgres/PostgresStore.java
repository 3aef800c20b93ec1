package io.holdfast.postgres;

import io.holdfast.Store;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockCapabilities;

/** The PostgreSQL store: joins the kernel's parts. Safe for use by many threads. */
final class PostgresStore implements Store {
  private final Database database;
  private final Statements statements;
  private final Transactions transactions;
  private final Notifier notifier;
  private final Migrations migrations;
  private final PostgresLocks locks;
  private final LockBackend lockBackend;

  PostgresStore(Database database, PostgresOptions options) {
    this.database = database;
    this.statements = new Statements(options.listener());
    this.transactions = new Transactions(database, statements);
    this.notifier = new Notifier(database, transactions);
    this.migrations = new Migrations(transactions);
    LockSetup setup = new LockSetup(options.lockTables(), transactions, migrations);
    LockCaller caller = LockCaller.pooled(transactions);
    KeeperConnection keeper = new KeeperConnection(database, statements);
    this.locks = new PostgresLocks(caller, setup, keeper, options.time());
    LockTables tables = options.lockTables();
    this.lockBackend =
        new LockBackend(
            locks,
            new PostgresLockAdmin(caller, setup, options.time()),
            notifier.scoped("lock/" + tables.table() + "/" + tables.fenceTable() + "/"),
            keeper,
            options.time(),
            LockCapabilities.of("postgres"));
  }

  @Override
  public LockBackend locks() {
    return lockBackend;
  }

  PostgresLocks lockStore() {
    return locks;
  }

  Statements statements() {
    return statements;
  }

  Transactions transactions() {
    return transactions;
  }

  Migrations migrations() {
    return migrations;
  }

  @Override
  public void close() {
    lockBackend.reserve().giveBack();
    notifier.close();
    statements.close();
    database.close();
  }
}
