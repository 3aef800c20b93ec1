package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFixture.CALL;
import static io.holdfast.postgres.QueueFixture.leaseIds;
import static io.holdfast.postgres.QueueFixture.produce;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.lease.Time;
import io.holdfast.queue.ItemIds;
import io.holdfast.queue.QueueInfo;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nothing hot is walked. Each statement is prepared and used while its table is empty and nobody
 * has analyzed it, so that the server settles on a plan; then the backlog comes.
 */
@Timeout(180)
class QueuePlanTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Time TIME = Time.system();
  private static final int ROWS = 20_000;

  /** Enough for the driver to prepare, and for the server to choose between kinds of plans. */
  private static final int WARM = 12;

  private final QueueFixture queues = QueueFixture.real();
  private PostgresPartition partition;
  private ItemSql sql;
  private LifecycleSql life;

  @AfterEach
  void close() {
    queues.close();
  }

  /** A connection of ours, or of a user whose table was analyzed as the store does. */
  enum Source {
    OURS {
      @Override
      Connection connect() throws SQLException {
        String url = TestDatabase.url("prepareThreshold=1");
        return new PgSource(ConnectionString.parse(url), Duration.ofSeconds(10)).getConnection();
      }
    },
    A_USERS {
      @Override
      Connection connect() throws SQLException {
        return DriverManager.getConnection(TestDatabase.url("prepareThreshold=1"));
      }
    };

    abstract Connection connect() throws SQLException;
  }

  /** A statement and what to bind. */
  private interface Binder {
    void bind(Binds binds) throws SQLException;
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  void a_claim_walks_the_index_of_ready_items(Source source) throws Exception {
    Binder claim = binds -> binds.now(TIME).text("orders").text("").integer(100).number(1 << 24);
    open("orders");
    try (Session session = new Session(source)) {
      session.warm(sql.claim, claim);
      fill(source);

      Plan plan = session.run(sql.claim, claim);

      assertThat(plan.indexes).contains(index("rdy")).doesNotContain(index("exq"), index("dln"));
      plan.requireNoWalk(100);
      assertThat(plan.rows).isEqualTo(100);
    }
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  void a_claim_walks_that_index_also_when_nothing_was_ready_at_the_last_analyze(Source source)
      throws Exception {
    Binder claim = binds -> binds.now(TIME).text("orders").text("").integer(100).number(1 << 24);
    open("orders");
    ready(20_000);
    TestDatabase.execute("DELETE FROM " + sql.table);
    TestDatabase.execute("ANALYZE " + sql.table);
    try (Session session = new Session(source)) {
      session.warm(sql.claim, claim);
      TestDatabase.execute("VACUUM " + sql.table);
      ready(5_000);

      Plan plan = session.run(sql.claim, claim);

      assertThat(plan.indexes).contains(index("rdy")).doesNotContain(index("exq"), index("dln"));
      assertThat(plan.rows).isEqualTo(100);
    }
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  void settling_probes_the_primary_key(Source source) throws Exception {
    open("orders");
    List<String> ids = IntStream.range(ROWS, ROWS + 500).mapToObj(QueuePlanTest::id).toList();
    List<Integer> ones = ids.stream().map(id -> 1).toList();
    List<String> suffixes = suffixes();
    Binder complete = binds -> binds.text("orders").integers(ones).texts(ids);
    Binder extend =
        binds ->
            binds
                .now(TIME)
                .text("orders")
                .integers(ones)
                .texts(ids)
                .numbers(ids.stream().map(id -> 1_000_000L).toList());
    Binder retry =
        binds ->
            binds
                .now(TIME)
                .text("orders")
                .number(0)
                .integers(ones)
                .texts(ids)
                .instants(ids.stream().map(id -> Instant.EPOCH).toList())
                .flags(ids.stream().map(id -> false).toList())
                .texts(suffixes)
                .text(null);
    Binder handBack = binds -> binds.texts(ids);
    Binder takeBack = binds -> binds.now(TIME).text("orders").number(0).texts(ids).texts(suffixes);
    try (Session session = new Session(source)) {
      session.warm(sql.complete, complete);
      session.warm(sql.extend, extend);
      session.warm(sql.retry, retry);
      session.warm(sql.handBack, handBack);
      session.warm(sql.takeBack, takeBack);
      fill(source);

      for (Plan plan :
          List.of(
              session.run(sql.extend, extend),
              session.run(sql.complete, complete),
              session.run(sql.retry, retry),
              session.run(sql.handBack, handBack),
              session.run(sql.takeBack, takeBack))) {
        plan.requireNoWalk(1000);
        assertThat(plan.buffers).as(() -> plan.text).isLessThan(500L * 60);
        assertThat(plan.indexes).contains(ItemTables.name("orders", 0) + "_pkey");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  @Guarantee("Q59")
  void sweeps_read_only_what_is_due(Source source) throws Exception {
    open("orders");
    Instant floor = Instant.parse("2026-01-01T00:00:00Z");
    Binder scheduled = binds -> binds.now(TIME).at(floor).integer(1000);
    Binder actions =
        binds ->
            binds
                .now(TIME)
                .text("orders")
                .at(floor)
                .integer(1000)
                .at(floor)
                .integer(1000)
                .integer(1000);
    List<String> ids = IntStream.range(ROWS, ROWS + 500).mapToObj(QueuePlanTest::id).toList();
    Binder sweep =
        binds ->
            binds
                .now(TIME)
                .text("orders")
                .number(0)
                .texts(ids.stream().map(id -> "LEASE_EXPIRED").toList())
                .texts(ids)
                .instants(ids.stream().map(id -> Instant.EPOCH).toList())
                .texts(suffixes());
    try (Session session = new Session(source)) {
      session.warm(life.sweep, sweep);
      session.connection.setAutoCommit(true);
      session.warm(life.scanScheduled, scheduled);
      session.warm(life.scanActions, actions);
      fill(source);

      Plan first = session.run(life.scanScheduled, scheduled);
      Plan second = session.run(life.scanActions, actions);
      session.connection.setAutoCommit(false);
      Plan third = session.run(life.sweep, sweep);

      assertThat(first.indexes).contains(index("due"));
      assertThat(second.indexes).contains(index("dln"), index("exq"));
      first.requireNoWalk(1000);
      second.requireNoWalk(1000);
      third.requireNoWalk(1000);
      assertThat(first.buffers + second.buffers).isLessThan(20);
    }
  }

  @Test
  @Guarantee("Q59")
  void a_produce_looks_into_an_empty_range() throws Exception {
    open("orders");
    List<String> one = List.of("x".repeat(17));
    Binder insert =
        binds ->
            binds
                .now(TIME)
                .text("orders")
                .number(0)
                .texts(one)
                .instants(java.util.Collections.singletonList(null))
                .texts(one)
                .texts(one)
                .texts(one)
                .bytes(List.of(new byte[10]));
    try (Session session = new Session(Source.OURS)) {
      session.warm(sql.produce, insert);
      fill(Source.OURS);

      Plan plan = session.run(sql.produce, insert);

      plan.requireNoWalk(1);
      assertThat(plan.buffers).isLessThan(60);
    }
  }

  @Test
  void a_claim_costs_the_same_with_a_hundred_times_the_backlog() throws Exception {
    Binder claim = binds -> binds.now(TIME).text("orders").text("").integer(100).number(1 << 24);
    open("orders");
    ready(2_000);
    long few;
    try (Session session = new Session(Source.OURS)) {
      few = session.run(sql.claim, claim).found;
    }
    TestDatabase.execute("TRUNCATE " + sql.table);
    ready(200_000);

    try (Session session = new Session(Source.OURS)) {
      // Before PostgreSQL 17 each of the 100 keys is probed by itself, through one level more.
      long many = session.run(sql.claim, claim).found;
      assertThat(many).isLessThan(few + few / 5 + 100);
    }
  }

  @Test
  @Guarantee("QF13")
  void a_pinned_horizon_costs_a_hinted_claim_nothing() throws Exception {
    open("orders");
    produce(partition, "first");
    try (Connection pin = TestDatabase.begin()) {
      pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      TransactionsTest.run(pin, "SELECT count(*) FROM " + sql.table);
      String[] texts = IntStream.range(0, 1000).mapToObj(Integer::toString).toArray(String[]::new);
      for (int i = 0; i < 40; i++) {
        produce(partition, texts);
        partition.complete(List.of(leaseIds(partition, 1000)), CALL);
      }
      produce(partition, texts);
      TestDatabase.execute(
          "ANALYZE " + sql.table); // or autovacuum may have looked when all was done
      String hint = partition.context().hint.current();
      try (Session session = new Session(Source.OURS)) {
        long hinted =
            session.run(
                    sql.claim,
                    binds -> binds.now(TIME).text("orders").text(hint).integer(10).number(1 << 24))
                .found;
        long unhinted =
            session.run(
                    sql.claim,
                    binds -> binds.now(TIME).text("orders").text("").integer(10).number(1 << 24))
                .found;

        assertThat(unhinted).isGreaterThan(3 * hinted);
      }
      pin.rollback();
    }
  }

  @Test
  void a_partition_is_analyzed_after_its_first_thousand_rows() throws Exception {
    open("orders");
    String[] texts = IntStream.range(0, 500).mapToObj(Integer::toString).toArray(String[]::new);
    produce(partition, texts);
    assertThat(estimate()).isEqualTo("-1");

    produce(partition, texts);

    long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (Objects.equals(estimate(), "-1")) {
      assertThat(System.nanoTime()).isLessThan(until);
      LockSupport.parkNanos(100_000);
    }
    assertThat(estimate()).isEqualTo("1000");
  }

  private String estimate() {
    return String.valueOf(
        TestDatabase.query(
            "SELECT reltuples::bigint FROM pg_class WHERE oid = '" + sql.table + "'::regclass"));
  }

  @Test
  void every_statement_can_be_prepared() throws Exception {
    open("orders");
    partition.countReady(1, CALL);
    List<Object> owners =
        List.of(sql, new AdminSql(sql.template), life, queues.store().queueKernel().sql());
    int prepared = 0;
    try (Connection connection = TestDatabase.connect()) {
      for (Object owner : owners) {
        for (var field : owner.getClass().getDeclaredFields()) {
          field.setAccessible(true);
          if (java.lang.reflect.Modifier.isStatic(field.getModifiers())
              || !(field.get(owner) instanceof String text)
              || !text.contains(" ")
              || text.startsWith("LOCK")
              || text.startsWith("TRUNCATE")) {
            continue;
          }
          prepare(connection, text);
          prepared++;
        }
      }
    }
    assertThat(prepared).isGreaterThan(30);
  }

  private static void prepare(Connection connection, String text) throws SQLException {
    String numbered = text;
    for (int i = 1; numbered.contains("?"); i++) {
      numbered = numbered.replaceFirst("\\?", "\\$" + i);
    }
    try (var statement = connection.createStatement()) {
      statement.execute("PREPARE it AS " + numbered);
      statement.execute("DEALLOCATE it");
    } catch (SQLException e) {
      throw new AssertionError(text, e);
    }
  }

  private void open(String name) {
    QueueInfo queue = queues.queue(name);
    partition = queues.open(queue);
    sql = partition.context().sql;
    life = new LifecycleSql(sql.template);
    queues.store().queueKernel().tables().create(name, 0, CALL);
  }

  private static String index(String kind) {
    return ItemTables.name("orders", 0).replace("items", "idx") + "_" + kind;
  }

  private static List<String> suffixes() {
    return IntStream.range(0, 500).mapToObj("%017d"::formatted).toList();
  }

  private static String id(int number) {
    return ItemIds.digits(1_000_000L + number) + "00000000000000000";
  }

  /** Ready, leased and scheduled items, none of them due; nobody else may analyze the table. */
  private void fill(Source source) {
    TestDatabase.execute(
        """
        ALTER TABLE {t} SET (autovacuum_enabled = off);
        INSERT INTO {t} (id, expire_deadline, created_at, is_leased, lease_deadline, enqueue_at)
        SELECT {s}.queue_digits_v1(1000000 + i) || '00000000000000000', now() + interval '1 day', now(),
               i >= {n} AND i < 2 * {n}, CASE WHEN i >= {n} AND i < 2 * {n} THEN now() + interval '1 h' END,
               CASE WHEN i >= 2 * {n} THEN now() + interval '1 h' END
          FROM generate_series(0, 3 * {n} - 1) AS i
        """
            .replace("{t}", sql.table)
            .replace("{s}", queues.schema)
            .replace("{n}", Integer.toString(ROWS)));
    if (source == Source.A_USERS) {
      TestDatabase.execute("ANALYZE " + sql.table);
    }
  }

  private void ready(int count) {
    TestDatabase.execute(
        """
        ALTER TABLE {t} SET (autovacuum_enabled = off);
        INSERT INTO {t} (id, expire_deadline, created_at)
        SELECT {s}.queue_digits_v1(1000000 + i) || '00000000000000000', now() + interval '1 day', now()
          FROM generate_series(1, {n}) AS i
        """
            .replace("{t}", sql.table)
            .replace("{s}", queues.schema)
            .replace("{n}", Integer.toString(count)));
  }

  /**
   * A session in which the server shows the plans of what is run; nothing it does stays. A read
   * shows its plan only when its transaction ends well, so reads run in autocommit.
   */
  private static final class Session implements AutoCloseable {
    private final Connection connection;

    Session(Source source) throws SQLException {
      connection = source.connect();
      for (String setting :
          List.of(
              "LOAD 'auto_explain'",
              "SET auto_explain.log_min_duration = 0",
              "SET auto_explain.log_analyze = on",
              "SET auto_explain.log_buffers = on",
              "SET auto_explain.log_format = json",
              "SET client_min_messages = log")) {
        TransactionsTest.run(connection, setting);
      }
      connection.setAutoCommit(false);
    }

    void warm(String text, Binder binder) throws Exception {
      for (int i = 0; i < WARM; i++) {
        run(text, binder);
      }
    }

    Plan run(String text, Binder binder) throws Exception {
      try (PreparedStatement statement = connection.prepareStatement(text)) {
        binder.bind(Binds.of(statement));
        int rows = 0;
        if (statement.execute()) {
          try (ResultSet all = statement.getResultSet()) {
            while (all.next()) {
              rows++;
            }
          }
        }
        for (SQLWarning line = statement.getWarnings();
            line != null;
            line = line.getNextWarning()) {
          String message = String.valueOf(line.getMessage());
          if (message.contains("plan:")) {
            return new Plan(JSON.readTree(message.substring(message.indexOf('{'))), rows);
          }
        }
        throw new AssertionError("no plan");
      } finally {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  /** What a plan touched. */
  private static final class Plan {
    private final List<String> indexes = new ArrayList<>();
    private final List<String> walked = new ArrayList<>();
    private final List<Double> sorted = new ArrayList<>();
    private final long buffers;

    /** Buffers of finding rows, without those of changing them. */
    private long found;

    private final int rows;
    private final String text;

    Plan(JsonNode root, int rows) {
      JsonNode plan = root.get("Plan");
      this.rows = rows;
      this.text = root.toPrettyString();
      this.buffers =
          plan.path("Shared Hit Blocks").asLong() + plan.path("Shared Read Blocks").asLong();
      visit(plan);
    }

    private void visit(JsonNode node) {
      String type = node.path("Node Type").asText();
      if (node.has("Index Name")) {
        indexes.add(node.get("Index Name").asText());
        found += node.path("Shared Hit Blocks").asLong() + node.path("Shared Read Blocks").asLong();
      }
      boolean isItems = node.path("Relation Name").asText().startsWith("items");
      if (isItems && (type.equals("Seq Scan") || type.equals("Bitmap Heap Scan"))) {
        walked.add(type + " of " + node.path("Relation Name").asText());
      }
      if (type.contains("Sort")) {
        sorted.add(node.path("Actual Rows").asDouble());
      }
      node.path("Plans").forEach(this::visit);
    }

    void requireNoWalk(int limit) {
      assertThat(walked).as(() -> text).isEmpty();
      assertThat(sorted.stream().filter(rows -> rows > limit).collect(Collectors.toList()))
          .as(() -> text)
          .isEmpty();
    }
  }
}
