package io.holdfast.benchmarks;

import io.holdfast.postgres.PoolSettings;
import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.postgres.PostgresOptions;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.queue.TableHash;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

/**
 * One queue of ours with a service of its own, and a way to its table behind the service's back.
 */
final class BenchQueue implements AutoCloseable {
  /** What every item carries. */
  static final byte[] PAYLOAD = new byte[100];

  static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static final String LOAD =
      """
      INSERT INTO {items} (id, is_leased, lease_deadline, expire_deadline, enqueue_at, created_at,
                           attempts, payload)
      SELECT {id}, {leased}, {lease}, {expire}, {enqueue}, now(), {leased}::integer,
             decode(repeat('00', 100), 'hex')
        FROM generate_series(1, {rows}) AS series (n),
             (SELECT holdfast.queue_digits_v1(
                       holdfast.queue_prefix_v1(now() - interval '{age}')) AS digits) AS prefix
      """;

  /**
   * Makes ids of a form that the store takes for its own: ten digits of time and seventeen more.
   */
  private static final String ID = "prefix.digits || lpad(n::text, 9, '0') || '{tag}'";

  private final Place place;
  private final PostgresHoldfast holdfast;
  private final Queue queue;

  private BenchQueue(Place place, String name, PostgresOptions options) {
    this.place = place;
    this.holdfast = PostgresHoldfast.open(place.url(), options);
    this.queue = holdfast.queues().queue(name);
  }

  /** Creates a queue with leases of an hour; its table exists. */
  static BenchQueue create(Place place, String name) {
    return create(place, name, options(place));
  }

  static BenchQueue create(Place place, String name, PostgresOptions options) {
    BenchQueue created = new BenchQueue(place, name, options);
    try {
      created
          .holdfast
          .queues()
          .create(
              NewQueue.named(name).leaseFor(Duration.ofHours(1)).expireAfter(Duration.ofDays(7)));
      created.produce(1);
      created.queue.complete(created.lease("opening", 1));
      return created;
    } catch (RuntimeException e) {
      created.close();
      throw e;
    }
  }

  /** The defaults with the pool size that all subjects have. */
  static PostgresOptions options(Place place) {
    return PostgresOptions.DEFAULTS.withPool(
        PoolSettings.DEFAULTS.withMaxConnections(place.poolSize()));
  }

  static List<NewItem> items(int count) {
    return Collections.nCopies(count, NewItem.of(PAYLOAD));
  }

  Queue queue() {
    return queue;
  }

  void produce(int count) {
    queue.produce(items(count), TIMEOUT);
  }

  LeasedItems lease(String client, int count) {
    return queue.lease(new LeaseRequest(client, count, TIMEOUT));
  }

  /** The name of its table, as it stands in a statement. */
  String table() {
    return "holdfast.\"items_%s_0\"".formatted(TableHash.of(queue.name()));
  }

  /** Items in a state, and whether that state is over. */
  enum Stock {
    /** Waiting, before everything that is produced from now on. */
    READY("1 hour", "ReadyRow", "false", "NULL", "now() + interval '7 days'", "NULL"),
    /** Leased for a day, before the ready ones. */
    LEASED("2 hours", "LeasedRw", "true", "now() + interval '1 day'", READY.expire, "NULL"),
    /** Scheduled for tomorrow, before the ready ones. */
    SCHEDULED("3 hours", "Schedule", "false", "NULL", READY.expire, "now() + interval '1 day'"),
    /** With a lease that lapsed. */
    LAPSED("4 hours", "LapsedRw", "true", "now() - interval '1 minute'", READY.expire, "NULL"),
    /** Scheduled for a moment that has passed. */
    DUE("5 hours", "DueAtOnc", "false", "NULL", READY.expire, "now() - interval '1 minute'"),
    /** Ready for too long. */
    EXPIRED("6 hours", "ExpiredR", "false", "NULL", "now() - interval '1 minute'", "NULL");

    private final String age;
    private final String tag;
    private final String leased;
    private final String lease;
    private final String expire;
    private final String enqueue;

    Stock(String age, String tag, String leased, String lease, String expire, String enqueue) {
      this.age = age;
      this.tag = tag;
      this.leased = leased;
      this.lease = lease;
      this.expire = expire;
      this.enqueue = enqueue;
    }

    private String sql(String table, long rows) {
      return LOAD.replace("{id}", ID.replace("{tag}", tag))
          .replace("{items}", table)
          .replace("{leased}", leased)
          .replace("{lease}", lease)
          .replace("{expire}", expire)
          .replace("{enqueue}", enqueue)
          .replace("{age}", age)
          .replace("{rows}", Long.toString(rows));
    }
  }

  /** Inserts rows on the server, once per kind; {@link #settle} afterwards. */
  void load(Stock stock, long rows) throws SQLException {
    place.run(stock.sql(table(), rows));
  }

  /** Tells the planner what was loaded, and the service to look afresh. */
  void settle() throws SQLException {
    place.run("VACUUM ANALYZE " + table());
    queue.admin().reload();
  }

  @Override
  public void close() {
    holdfast.close();
  }
}
