package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.postgres.PoolsTest.Kernel;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing hot is walked: at 100 000 locks every statement goes by an index. */
@Timeout(120)
class LockPlanTest {
  private static final int ROWS = 100_000;

  /** One in a hundred has expired at this moment, and all have long after it. */
  private static final long NOW_MS = 1_000_000_000L;

  private static final long FAR_MS = 2 * NOW_MS;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final LockTables TABLES = TestDatabase.freshTables();
  private static final LockSql SQL = new LockSql(String.valueOf(TABLES.schema()), TABLES);
  private static final String BY_ID = "idx_" + TABLES.table() + "_lock_id";
  private static final String BY_EXPIRY = "idx_" + TABLES.table() + "_expires";

  @BeforeAll
  static void fill() {
    TestDatabase.execute("CREATE SCHEMA IF NOT EXISTS " + TABLES.schema());
    try (Kernel kernel = Kernel.direct()) {
      kernel.locks(o -> o.withLockTables(TABLES)).setup();
    }
    TestDatabase.execute(
        """
        INSERT INTO %1$s.%2$s (key, lock_id, expires_at_ms, acquired_at_ms, fence, user_key)
        SELECT 'key-' || i, lpad(i::text, 22, '0'),
               %4$d + CASE WHEN i %% 100 = 0 THEN -100000 ELSE i + 100000 END,
               %4$d, lpad('1', 15, '0'), 'key-' || i
          FROM generate_series(1, %5$d) AS i;
        INSERT INTO %1$s.%3$s (fence_key, fence, key_debug)
        SELECT 'fence:key-' || i, 1, 'key-' || i FROM generate_series(1, %5$d) AS i;
        ANALYZE %1$s.%2$s;
        ANALYZE %1$s.%3$s;
        INSERT INTO holdfast.lock_waiters (pair, key, waiter_id, fair, expires_at_ms)
        SELECT '%6$s', 'other-' || i, 'waiter', true, %4$d FROM generate_series(1, %5$d) AS i;
        ANALYZE holdfast.lock_waiters;
        """
            .formatted(
                TABLES.schema(), TABLES.table(), TABLES.fenceTable(), NOW_MS, ROWS, SQL.pair()));
    TestDatabase.execute("VACUUM " + TABLES.schema() + "." + TABLES.table());
  }

  @AfterAll
  static void drop() {
    TestDatabase.execute("DROP SCHEMA " + TABLES.schema() + " CASCADE");
    TestDatabase.execute("DELETE FROM holdfast.lock_waiters WHERE pair = '" + SQL.pair() + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
  @Guarantee("L98")
  void lookup_by_id_uses_the_index_of_ids(String mode) throws Exception {
    try (Connection connection = session(mode)) {
      Plan plan = explain(connection, SQL.findById, NOW_MS, id(4711));

      assertThat(plan.indexes()).containsExactly(BY_ID);
      assertThat(plan.walked()).isEmpty();
      assertThat(plan.buffers()).isLessThan(10);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
  void lookup_by_key_uses_the_primary_key(String mode) throws Exception {
    try (Connection connection = session(mode)) {
      Plan plan = explain(connection, SQL.findByKey, NOW_MS, "key-4711");

      assertThat(plan.indexes()).containsExactly(TABLES.table() + "_pkey");
      assertThat(plan.walked()).isEmpty();
      assertThat(plan.buffers()).isLessThan(10);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
  @Guarantee("L98")
  void purge_uses_the_index_of_expiries_whether_few_or_all_have_expired(String mode)
      throws Exception {
    try (Connection connection = session(mode)) {
      for (long nowMs : new long[] {NOW_MS, FAR_MS}) {
        for (int limit : new int[] {10, 1000}) {
          Plan plan = explain(connection, SQL.purge, nowMs, limit);

          assertThat(plan.indexes()).contains(BY_EXPIRY);
          assertThat(plan.walked()).isEmpty();
          assertThat(plan.buffers()).isLessThan(50L + 12L * limit);
        }
      }
    }
  }

  @Test
  @Guarantee("L98")
  void purge_takes_the_oldest_first_and_not_more_than_asked() throws Exception {
    try (Connection connection = session("auto");
        PreparedStatement purge = connection.prepareStatement(SQL.purge)) {
      bind(purge, NOW_MS, 700);
      assertThat(purge.executeUpdate()).isEqualTo(700);
      assertThat(purge.executeUpdate()).isEqualTo(300);
      assertThat(purge.executeUpdate()).isZero();
      connection.rollback();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
  @Guarantee("L98")
  void release_and_extend_use_the_index_of_ids(String mode) throws Exception {
    try (Connection connection = session(mode)) {
      List<Plan> release = plansInside(connection, SQL.release, id(4711), false, 5000, NOW_MS);
      List<Plan> extend = plansInside(connection, SQL.extend, id(4713), 1000L, 5000, NOW_MS);

      for (List<Plan> plans : List.of(release, extend)) {
        assertThat(plans).flatExtracting(Plan::indexes).contains(BY_ID);
        assertThat(plans).flatExtracting(Plan::walked).isEmpty();
        assertThat(plans.stream().mapToLong(Plan::buffers).sum()).isLessThan(100);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
  void acquire_uses_the_keys(String mode) throws Exception {
    try (Connection connection = session(mode)) {
      for (int i : new int[] {200, 201, ROWS + 1}) {
        String key = "key-" + i;
        List<Plan> plans =
            plansInside(
                connection,
                SQL.acquire,
                key,
                "fence:" + key,
                "n" + id(i).substring(1),
                1000L,
                null,
                false,
                0L,
                5000,
                NOW_MS);

        assertThat(plans).flatExtracting(Plan::indexes).contains(TABLES.table() + "_pkey");
        assertThat(plans).flatExtracting(Plan::walked).isEmpty();
        assertThat(plans.stream().mapToLong(Plan::buffers).sum()).isLessThan(150);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 100})
  void renewing_many_uses_the_index_of_ids(int leases) throws Exception {
    try (Connection connection = session("auto")) {
      Object ids =
          connection.createArrayOf(
              "text", IntStream.rangeClosed(1, leases).mapToObj(LockPlanTest::id).toArray());
      Object ttls =
          connection.createArrayOf(
              "bigint", LongStream.rangeClosed(1, leases).mapToObj(i -> 1000L).toArray());

      List<Plan> plans = plansInside(connection, SQL.extendMany, ids, ttls, NOW_MS);

      assertThat(plans).flatExtracting(Plan::walked).isEmpty();
      assertThat(plans).flatExtracting(Plan::indexes).contains(BY_ID);
      assertThat(plans.stream().mapToLong(Plan::buffers).sum()).isLessThan(50L + 40L * leases);
    }
  }

  /** The proof that this suite can fail: without its index the same statement walks. */
  @Test
  @Guarantee("L98")
  void without_its_index_a_walk_is_seen() throws Exception {
    try (Connection connection = session("auto")) {
      TransactionsTest.run(connection, "DROP INDEX " + TABLES.schema() + "." + BY_ID);

      assertThat(explain(connection, SQL.findById, NOW_MS, id(4711)).walked()).isNotEmpty();
      assertThat(plansInside(connection, SQL.release, id(4711), false, 5000, NOW_MS))
          .flatExtracting(Plan::walked)
          .isNotEmpty();
      connection.rollback();
    }
  }

  /** The counter's upsert needs no help from the advisory lock to count without gaps. */
  @Test
  void the_upsert_of_a_counter_alone_counts_sixteen_first_callers() throws Exception {
    int callers = 16;
    String upsert = upsertOfCounter();
    try (Kernel kernel = Kernel.direct()) {
      for (int round = 0; round < 5; round++) {
        CyclicBarrier start = new CyclicBarrier(callers);
        String key = "absent-" + round;
        List<Future<Long>> fences = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
          fences.add(
              kernel.async(
                  () -> {
                    try (Connection connection = TestDatabase.connect();
                        PreparedStatement statement = connection.prepareStatement(upsert)) {
                      bind(statement, "fence:" + key, key);
                      start.await(30, TimeUnit.SECONDS);
                      try (ResultSet row = statement.executeQuery()) {
                        row.next();
                        return row.getLong(1);
                      }
                    }
                  }));
        }
        List<Long> seen = new ArrayList<>();
        for (Future<Long> fence : fences) {
          seen.add(fence.get(30, TimeUnit.SECONDS));
        }

        assertThat(seen)
            .containsExactlyInAnyOrderElementsOf(
                LongStream.rangeClosed(1, callers).boxed().toList());
      }
    }
  }

  /** As it stands inside the function. */
  private static String upsertOfCounter() {
    String body =
        Objects.requireNonNull(
            TestDatabase.query(
                "SELECT prosrc FROM pg_proc WHERE proname = '" + SQL.functionNames().get(0) + "'"));
    Matcher upsert =
        Pattern.compile(
                "INSERT INTO [^;]*" + TABLES.fenceTable() + "[^;]*?RETURNING c\\.fence",
                Pattern.DOTALL)
            .matcher(body);
    assertThat(upsert.find()).as(body).isTrue();
    return upsert.group().replace("p_fence_key", "?").replace("p_key", "?");
  }

  /** What a plan did: which indexes it went by, which tables it walked, how many buffers it saw. */
  private record Plan(List<String> indexes, List<String> walked, long buffers) {
    static Plan of(JsonNode root) {
      List<String> indexes = new ArrayList<>();
      List<String> walked = new ArrayList<>();
      visit(root, indexes, walked);
      long buffers =
          root.path("Shared Hit Blocks").asLong() + root.path("Shared Read Blocks").asLong();
      return new Plan(indexes, walked, buffers);
    }

    private static void visit(JsonNode node, List<String> indexes, List<String> walked) {
      String type = node.path("Node Type").asText();
      if (node.has("Index Name")) {
        indexes.add(node.get("Index Name").asText());
      }
      if (type.equals("Seq Scan")) {
        walked.add(node.path("Relation Name").asText());
      }
      node.path("Plans").forEach(child -> visit(child, indexes, walked));
    }
  }

  private static Plan explain(Connection connection, String sql, Object... binds)
      throws SQLException, JsonProcessingException {
    var before = connection.setSavepoint();
    try (PreparedStatement statement =
        connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql)) {
      bind(statement, binds);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return Plan.of(JSON.readTree(row.getString(1)).get(0).get("Plan"));
      }
    } finally {
      connection.rollback(before);
    }
  }

  /** The plans of the statements inside the function that {@code call} calls. */
  private static List<Plan> plansInside(Connection connection, String call, Object... binds)
      throws SQLException, JsonProcessingException {
    List<Plan> plans = new ArrayList<>();
    var before = connection.setSavepoint();
    try (PreparedStatement statement = connection.prepareStatement(call)) {
      bind(statement, binds);
      statement.execute();
      for (SQLWarning line = statement.getWarnings(); line != null; line = line.getNextWarning()) {
        String text = String.valueOf(line.getMessage());
        if (text.contains("plan:")) {
          JsonNode plan = JSON.readTree(text.substring(text.indexOf('{')));
          if (!plan.path("Query Text").asText().startsWith("SELECT status")
              && !plan.path("Query Text").asText().startsWith("SELECT place")) {
            plans.add(Plan.of(plan.get("Plan")));
          }
        }
      }
    } finally {
      connection.rollback(before);
    }
    assertThat(plans).isNotEmpty();
    return plans;
  }

  /** A transaction in which the server shows the plans of nested statements. */
  private static Connection session(String mode) throws SQLException {
    Connection connection = TestDatabase.begin();
    for (String setting :
        List.of(
            "LOAD 'auto_explain'",
            "SET LOCAL auto_explain.log_min_duration = 0",
            "SET LOCAL auto_explain.log_nested_statements = on",
            "SET LOCAL auto_explain.log_analyze = on",
            "SET LOCAL auto_explain.log_buffers = on",
            "SET LOCAL auto_explain.log_format = json",
            "SET LOCAL client_min_messages = log",
            "SET LOCAL plan_cache_mode = " + mode)) {
      TransactionsTest.run(connection, setting);
    }
    return connection;
  }

  private static void bind(PreparedStatement statement, Object... binds) throws SQLException {
    for (int i = 0; i < binds.length; i++) {
      if (binds[i] == null) {
        statement.setString(i + 1, null);
      } else {
        statement.setObject(i + 1, binds[i]);
      }
    }
  }

  private static String id(int number) {
    return String.format("%022d", number);
  }
}
