package io.holdfast.postgres;

import io.holdfast.Store;
import io.holdfast.Telemetry.Figure;
import io.holdfast.job.JobBackend;
import io.holdfast.job.JobIds;
import io.holdfast.lease.Hints;
import io.holdfast.lease.StoreCall;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockCapabilities;
import io.holdfast.queue.IdSuffixes;
import io.holdfast.queue.QueueBackend;
import io.holdfast.stream.StreamStore;
import java.util.ArrayList;
import java.util.List;

/** The PostgreSQL store: joins the kernel's parts. Safe for use by many threads. */
final class PostgresStore implements Store {
  private final Database database;
  private final StatementCounts counts;
  private final Statements statements;
  private final Transactions transactions;
  private final Notifier notifier;
  private final Migrations migrations;
  private final PostgresLocks locks;
  private final LockBackend lockBackend;
  private final Analyzer analyzer;
  private final QueueKernel queueKernel;
  private final QueueBackend queueBackend;
  private final StreamKernel streamKernel;
  private final StreamStore streams;
  private final JobKernel jobKernel;
  private final JobBackend jobs;

  PostgresStore(Database database, PostgresOptions options) {
    this.database = database;
    this.counts = new StatementCounts(options.listener());
    this.statements = new Statements(counts);
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
    this.analyzer = new Analyzer(transactions);
    this.queueKernel = queueKernel(options);
    this.queueBackend = queueBackend(options);
    this.streamKernel = streamKernel(options);
    this.streams =
        new PostgresStreamStore(
            streamKernel,
            notifier.scoped("stream/" + options.streamSchema() + "/"),
            analyzer.new Growth(streamKernel.sql(PostgresStreamStore.GROWING))::inserted);
    this.jobKernel = jobKernel(options);
    this.jobs = jobBackend(options);
  }

  private StreamKernel streamKernel(PostgresOptions options) {
    return new StreamKernel(
        options.streamSchema(),
        new StreamSetup(options.streamSchema(), transactions, migrations),
        StoreCaller.pooled(transactions),
        options.time(),
        true);
  }

  private JobKernel jobKernel(PostgresOptions options) {
    return new JobKernel(
        new JobSetup(options.jobTables(), transactions, migrations),
        StoreCaller.pooled(transactions),
        options.time(),
        true);
  }

  private JobBackend jobBackend(PostgresOptions options) {
    JobTables tables = options.jobTables();
    JobIds ids = new JobIds(() -> options.time().databaseMs().orElseGet(System::currentTimeMillis));
    return new PostgresJobs(
        jobKernel,
        new JobGrowth(analyzer, jobKernel),
        ids,
        notifier.scoped("job/" + tables.schema() + "/" + tables.ownSchema() + "/"),
        statements);
  }

  private QueueKernel queueKernel(PostgresOptions options) {
    QueueSql sql = new QueueSql(options.queueSchema());
    return new QueueKernel(
        sql,
        new QueueSetup(sql, transactions, migrations),
        new ItemTables(sql.schema, transactions),
        transactions,
        analyzer,
        new IdSuffixes(),
        options.time());
  }

  /** Makes the table of a partition, which its first use would do otherwise. */
  void createItems(String queue, int partition) {
    queueKernel.tables().create(queue, partition, StoreCall.plain());
  }

  private QueueBackend queueBackend(PostgresOptions options) {
    Hints hints = notifier.scoped("queue/" + options.queueSchema() + "/");
    return new QueueBackend(
        new PostgresQueueCatalog(
            queueKernel.sql(), queueKernel.setup(), transactions, hints, options.time()),
        new PostgresPartitionStore(queueKernel),
        hints,
        options.time());
  }

  @Override
  public LockBackend locks() {
    return lockBackend;
  }

  @Override
  public QueueBackend queues() {
    return queueBackend;
  }

  @Override
  public StreamStore streams() {
    return streams;
  }

  @Override
  public JobBackend jobs() {
    return jobs;
  }

  JobKernel jobKernel() {
    return jobKernel;
  }

  StreamKernel streamKernel() {
    return streamKernel;
  }

  QueueKernel queueKernel() {
    return queueKernel;
  }

  PostgresLocks lockStore() {
    return locks;
  }

  /** What is counted about statements, connections and hints. */
  List<Figure> figures() {
    List<Figure> figures = new ArrayList<>(counts.figures());
    figures.addAll(database.figures());
    figures.addAll(notifier.figures());
    return figures;
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
    analyzer.close();
    notifier.close();
    statements.close();
    database.close();
  }
}
