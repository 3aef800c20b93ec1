package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.ErrorCode;
import io.holdfast.lease.Fence;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.DisplayHash;
import io.holdfast.lock.ExtendOutcome;
import io.holdfast.lock.Extended;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockInfo;
import io.holdfast.lock.LockInfoRaw;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.Locked;
import io.holdfast.lock.Locks;
import io.holdfast.lock.NotHeld;
import io.holdfast.lock.Released;
import io.holdfast.lock.Wait;
import io.holdfast.testkit.Guarantee;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Holdfast and a peer in another language on the same tables, on the database's real clock: X1 to
 * X10 of the specification. The peer stands for SyncGuard, whose statements it makes; where the
 * order of two transactions matters, it is paused inside one of them.
 *
 * <p>X10 asks for 60 s of mixed operations. It runs for 10 s, so that a whole verification stays
 * short, and for the full 60 s with {@code -Dholdfast.long=true}.
 */
class CrossLanguageTest {
  private static final String PEER = "syncguard-peer";
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final long TOLERANCE_MS = 1000;
  private static final long PATIENCE_SECONDS = 60;
  private static final String COMPOSED = "caf\u00e9";
  private static final String DECOMPOSED = "cafe\u0301";

  /** Sessions of either side in the database that is looked at. */
  private static final String SESSIONS =
      """
      SELECT count(*) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()
         AND backend_type = 'client backend'
      """;

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final String application = TestDatabase.unique("java");
  private final Queue<ErrorCode> failedStatements = new ConcurrentLinkedQueue<>();
  private String url = TestDatabase.url();
  private LockTables tables = LockTables.DEFAULTS;
  private @Nullable Connection looking;

  /** Each test is skipped by itself without a peer: that of a whole class would not be reported. */
  @BeforeEach
  void tables_of_their_own() {
    NodePeer.assumeInstalled();
    tables = TestDatabase.freshTables();
    String drop = "DROP SCHEMA " + tables.schema() + " CASCADE";
    open.push(() -> TestDatabase.execute(drop));
  }

  @AfterEach
  void close_all() throws Exception {
    threads.shutdownNow();
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  @Test
  @Guarantee("LX1")
  void a_schema_made_here_serves_the_peer() {
    tables = tables.named("Mixed_Locks", "Mixed_Fences");
    holdfast().setup();
    NodePeer peer = peer("--tables=Mixed_Locks,Mixed_Fences");

    String lockId = granted(peer.call("acquire", "key", "k", "ttlMs", 60_000));

    assertThat(peer.call("lookup", "lockId", lockId).path("fence").asText())
        .isEqualTo("000000000000001");
    assertThat(peer.call("extend", "lockId", lockId, "ttlMs", 60_000).path("ok").asBoolean())
        .isTrue();
    assertThat(peer.call("release", "lockId", lockId).path("ok").asBoolean()).isTrue();
  }

  @Test
  @Guarantee("LX1")
  void a_schema_made_by_the_peer_serves_us_and_is_only_completed() {
    useFreshDatabase();
    NodePeer peer = peer();
    peer.call("setup");
    String peersId = granted(peer.call("acquire", "key", "before", "ttlMs", 60_000));
    String made = shape();

    Locks locks = holdfast().locks();
    Acquired lock = granted(locks.acquire("k", MINUTE));

    assertThat(lock.fence()).isEqualTo(new Fence(1));
    assertThat(locks.acquire("before", MINUTE).ok()).isFalse();
    assertThat(locks.release(peersId)).isEqualTo(new Released());
    assertThat(lock.extend(MINUTE).ok()).isTrue();
    assertThat(lock.release()).isEqualTo(new Released());
    assertThat(shape()).isEqualTo(made);
    assertThat(peer.call("setup").path("ok").asBoolean()).isTrue();
    assertThat(shape()).isEqualTo(made);
  }

  @Test
  @Guarantee("LX2")
  void each_side_keeps_the_other_out_in_either_spelling() {
    Locks locks = holdfast().locks();
    NodePeer peer = peerOnReadyTables(locks);

    Acquired ours = granted(locks.acquire(DECOMPOSED, MINUTE));

    assertThat(reason(peer.call("acquire", "key", COMPOSED, "ttlMs", 60_000))).isEqualTo("locked");
    assertThat(reason(peer.call("acquire", "key", DECOMPOSED, "ttlMs", 9))).isEqualTo("locked");
    assertThat(peer.call("isLocked", "key", COMPOSED).path("locked").asBoolean()).isTrue();
    assertThat(peer.call("isLocked", "key", "cafe").path("locked").asBoolean()).isFalse();
    assertThat(ours.release().ok()).isTrue();

    JsonNode theirs = peer.call("acquire", "key", DECOMPOSED, "ttlMs", 60_000);

    assertThat(granted(theirs)).isNotEmpty();
    assertThat(theirs.path("fence").asText()).isEqualTo("000000000000002");
    assertThat(locks.acquire(COMPOSED, MINUTE)).isInstanceOf(Locked.class);
    assertThat(locks.acquire(DECOMPOSED, MINUTE)).isInstanceOf(Locked.class);
    assertThat(locks.isLocked(COMPOSED)).isTrue();
    assertThat(locks.acquire("cafe", MINUTE).ok()).isTrue();
  }

  @Test
  @Guarantee("LX3")
  void mixed_workers_lose_no_update_and_fences_rise_without_a_gap() throws Exception {
    int workers = 3;
    int times = 40;
    Locks locks = holdfast().locks();
    NodePeer peer = peerOnReadyTables(locks);
    String table = tables.schema() + ".tally";
    TestDatabase.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, n int NOT NULL)");
    TestDatabase.execute("INSERT INTO " + table + " VALUES (1, 0)");

    List<NodePeer.Command> theirs = new ArrayList<>();
    List<Future<List<Long>>> ours = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      Object[] work = {"key", "k", "table", "tally", "times", times, "ttlMs", 30_000};
      theirs.add(peer.send("increment", work));
      ours.add(threads.submit(() -> increment(locks, table, times)));
    }
    List<Long> fences = new ArrayList<>();
    for (NodePeer.Command worker : theirs) {
      JsonNode answer = worker.await();
      assertThat(answer.path("ok").asBoolean()).as("%s", answer).isTrue();
      assertThat(answer.path("lost").asInt()).isZero();
      answer.path("fences").forEach(fence -> fences.add(Fence.parse(fence.asText()).value()));
    }
    for (Future<List<Long>> worker : ours) {
      fences.addAll(worker.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    long total = 2L * workers * times;
    assertThat(TestDatabase.query("SELECT n FROM " + table)).isEqualTo(Long.toString(total));
    assertThat(fences)
        .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, total).boxed().toList());
    assertThat(counter("k")).isEqualTo(total);
  }

  /** Adds one by a read and a write that only the lock holds together. */
  private List<Long> increment(Locks locks, String table, int times) throws SQLException {
    List<Long> fences = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < times; i++) {
        Wait wait = Wait.upTo(Duration.ofSeconds(PATIENCE_SECONDS));
        Acquired lock = granted(locks.acquire("k", Duration.ofSeconds(30), wait));
        try (ResultSet row = statement.executeQuery("SELECT n FROM " + table)) {
          row.next();
          int next = row.getInt(1) + 1;
          statement.executeUpdate("UPDATE " + table + " SET n = " + next);
        }
        fences.add(lock.fence().value());
        assertThat(lock.release().ok()).isTrue();
      }
    }
    return fences;
  }

  @Test
  @Guarantee("LX4")
  void each_side_extends_and_releases_what_the_other_was_granted() {
    Locks locks = holdfast().locks();
    NodePeer peer = peerOnReadyTables(locks);

    Acquired ours = granted(locks.acquire("k", MINUTE));
    JsonNode extended = peer.call("extend", "lockId", ours.lockId(), "ttlMs", 120_000);

    assertThat(extended.path("ok").asBoolean()).isTrue();
    assertThat(locks.lookup("k").orElseThrow().expiresAt().toEpochMilli())
        .isEqualTo(extended.path("expiresAtMs").asLong());
    assertThat(peer.call("release", "lockId", ours.lockId()).path("ok").asBoolean()).isTrue();
    assertThat(ours.extend(MINUTE)).isEqualTo(new NotHeld(NotHeld.Reason.NOT_FOUND));
    assertThat(ours.release()).isEqualTo(new NotHeld(NotHeld.Reason.NOT_FOUND));
    assertThat(granted(locks.acquire("k", MINUTE)).release()).isEqualTo(new Released());

    JsonNode theirs = peer.call("acquire", "key", "k", "ttlMs", 60_000);
    String theirId = granted(theirs);

    assertThat(theirs.path("fence").asText()).isEqualTo("000000000000003");
    assertThat(locks.extend(theirId, Duration.ofMinutes(2))).isInstanceOf(Extended.class);
    assertThat(peer.call("lookup", "lockId", theirId).path("expiresAtMs").asLong())
        .isEqualTo(locks.lookupById(theirId).orElseThrow().expiresAt().toEpochMilli())
        .isGreaterThan(theirs.path("expiresAtMs").asLong());
    assertThat(locks.release(theirId)).isEqualTo(new Released());
    assertThat(reason(peer.call("extend", "lockId", theirId, "ttlMs", 9))).isEqualTo("not-found");
    assertThat(reason(peer.call("release", "lockId", theirId))).isEqualTo("not-found");
    assertThat(peer.call("acquire", "key", "k", "ttlMs", 60_000).path("fence").asText())
        .isEqualTo("000000000000004");
  }

  @Test
  @Guarantee("LX5")
  void both_see_expiry_at_ttl_and_tolerance_and_not_earlier() {
    Locks locks = holdfast().locks();
    NodePeer peer = peerOnReadyTables(locks);

    Acquired ours = granted(locks.acquire("ours", SHORT));
    JsonNode theirs = peer.call("acquire", "key", "theirs", "ttlMs", SHORT.toMillis());
    String theirId = granted(theirs);

    seenToExpire(locks, peer, "ours", ours.expiresAt().toEpochMilli());
    seenToExpire(locks, peer, "theirs", theirs.path("expiresAtMs").asLong());
    assertThat(locks.extend(theirId, MINUTE)).isEqualTo(new NotHeld(NotHeld.Reason.EXPIRED));
    assertThat(locks.release(theirId)).isEqualTo(new NotHeld(NotHeld.Reason.EXPIRED));
    assertThat(reason(peer.call("extend", "lockId", ours.lockId(), "ttlMs", 9)))
        .isEqualTo("expired");
    assertThat(reason(peer.call("release", "lockId", ours.lockId()))).isEqualTo("expired");
    assertThat(granted(locks.acquire("theirs", MINUTE)).fence()).isEqualTo(new Fence(2));
    assertThat(peer.call("acquire", "key", "ours", "ttlMs", 60_000).path("fence").asText())
        .isEqualTo("000000000000002");
  }

  /** Asks both sides until they say free; each answer must fit the time in which it was given. */
  private void seenToExpire(Locks locks, NodePeer peer, String key, long expiresAtMs) {
    BooleanSupplier here = () -> locks.isLocked(key);
    BooleanSupplier there = () -> peer.call("isLocked", "key", key).path("locked").asBoolean();
    long freeAtMs = expiresAtMs + TOLERANCE_MS;
    await("expiry of " + key, () -> !answered(here, freeAtMs) & !answered(there, freeAtMs));
  }

  private boolean answered(BooleanSupplier isLocked, long freeAtMs) {
    long beforeMs = nowMs();
    boolean locked = isLocked.getAsBoolean();
    long afterMs = nowMs();
    if (locked) {
      assertThat(beforeMs).as("asked while it is locked").isLessThan(freeAtMs);
    } else {
      assertThat(afterMs).as("answered that it is free").isGreaterThanOrEqualTo(freeAtMs);
    }
    return locked;
  }

  @Test
  @Guarantee("LX6")
  void a_killed_peers_lock_is_ours_after_ttl_and_tolerance() {
    Locks locks = holdfast().locks();
    NodePeer peer = peerOnReadyTables(locks);
    JsonNode theirs = peer.call("acquire", "key", "k", "ttlMs", SHORT.toMillis());
    peer.kill();

    Acquired ours = granted(locks.acquire("k", MINUTE, Wait.upTo(Duration.ofSeconds(20))));

    long freeAtMs = theirs.path("expiresAtMs").asLong() + TOLERANCE_MS;
    assertThat(ours.acquiredAt().toEpochMilli()).isBetween(freeAtMs, freeAtMs + 5_000);
    assertThat(ours.fence()).isEqualTo(new Fence(2));
  }

  @Test
  @Guarantee("LX6")
  void our_lock_is_the_peers_after_ttl_and_tolerance_when_our_process_is_killed() throws Exception {
    Locks locks = holdfast().locks();
    NodePeer peer = peerOnReadyTables(locks);
    Duration ttl = Duration.ofMillis(1500);
    Process holder = startHolder("k", ttl);
    long firstExpiryMs = expiresAtMs(locks, "k");
    await("a renewal", () -> expiresAtMs(locks, "k") > firstExpiryMs + ttl.toMillis() / 2);

    holder.destroyForcibly().onExit().join();
    long freeAtMs = expiresAtMs(locks, "k") + TOLERANCE_MS;
    List<JsonNode> theirs = new ArrayList<>();
    await(
        "the peer's turn",
        () -> {
          JsonNode answer = peer.call("acquire", "key", "k", "ttlMs", 60_000);
          theirs.add(answer);
          return answer.path("ok").asBoolean();
        });

    JsonNode grant = theirs.get(theirs.size() - 1);
    assertThat(theirs).hasSizeGreaterThan(1);
    assertThat(grant.path("acquiredAtMs").asLong()).isBetween(freeAtMs, freeAtMs + 5_000);
    assertThat(grant.path("fence").asText()).isEqualTo("000000000000002");
  }

  private static long expiresAtMs(Locks locks, String key) {
    return locks.lookup(key).map(LockInfo::expiresAt).orElseThrow().toEpochMilli();
  }

  /** A JVM of its own that takes a lock and keeps it. */
  private Process startHolder(String key, Duration ttl) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath = System.getProperty("java.class.path");
    String ttlMs = Long.toString(ttl.toMillis());
    Process process =
        new ProcessBuilder(
                java, "-cp", classPath, Holder.class.getName(), url, tables.schema(), key, ttlMs)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    open.push(process::destroyForcibly);
    BufferedReader output = process.inputReader();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.equals(Holder.READY)) {
        return process;
      }
    }
    throw new AssertionError("the holder ended");
  }

  /** The main class of {@link #startHolder}. */
  static final class Holder {
    private static final String READY = "held";

    private Holder() {}

    public static void main(String[] arguments) throws IOException {
      LockTables tables = LockTables.DEFAULTS.inSchema(arguments[1]);
      PostgresOptions options = PostgresOptions.DEFAULTS.withLockTables(tables);
      try (PostgresHoldfast holdfast = PostgresHoldfast.open(arguments[0], options)) {
        holdfast.setup(); // a first call makes a pool, which may take as long as the ttl
        Duration ttl = Duration.ofMillis(Long.parseLong(arguments[3]));
        granted(holdfast.locks().acquire(arguments[2], ttl)).keep();
        System.out.println(READY);
        System.in.read();
      }
    }
  }

  @Test
  @Guarantee("LX7")
  void of_simultaneous_first_acquirers_one_wins_with_fence_1() throws Exception {
    int rounds = 20;
    int each = 3;
    Locks locks = holdfast().locks();
    NodePeer peer = peerOnReadyTables(locks);

    for (int round = 0; round < rounds; round++) {
      String key = "k" + round;
      List<Callable<LockAttempt>> tries = new ArrayList<>();
      List<NodePeer.Command> theirs = new ArrayList<>();
      for (int i = 0; i < each; i++) {
        tries.add(() -> locks.acquire(key, MINUTE));
        theirs.add(peer.send("acquire", "key", key, "ttlMs", 60_000));
      }
      List<String> fences = new ArrayList<>();
      for (Future<LockAttempt> attempt : threads.invokeAll(tries)) {
        if (attempt.get() instanceof Acquired lock) {
          fences.add(lock.fence().text());
        }
      }
      for (NodePeer.Command attempt : theirs) {
        JsonNode answer = attempt.await();
        if (answer.path("ok").asBoolean()) {
          fences.add(answer.path("fence").asText());
        } else {
          assertThat(reason(answer)).isEqualTo("locked");
        }
      }
      assertThat(fences).as("round %s", round).containsExactly("000000000000001");
    }
  }

  @Test
  @Guarantee("LX7")
  void a_first_acquirer_that_meets_one_under_way_is_refused() throws Exception {
    PostgresHoldfast holdfast = holdfast();
    Locks locks = holdfast.locks();
    NodePeer peer = peerOnReadyTables(locks);

    for (String point : List.of("after-lock", "after-read", "before-commit")) {
      NodePeer.Command theirs = peer.send("acquire", "key", point, "ttlMs", 60_000, "pause", point);
      theirs.awaitPaused();
      Future<LockAttempt> ours = threads.submit(() -> locks.acquire(point, MINUTE));
      awaitBlocked(application, PEER);
      peer.resume(theirs);

      assertThat(theirs.await().path("fence").asText()).isEqualTo("000000000000001");
      assertThat(ours.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isInstanceOf(Locked.class);
    }

    try (Connection connection = connect()) {
      connection.setAutoCommit(false);
      Acquired ours = granted(holdfast.in(connection).acquire("ours", MINUTE));
      NodePeer.Command theirs = peer.send("acquire", "key", "ours", "ttlMs", 60_000);
      awaitBlocked(PEER, application);
      connection.commit();

      assertThat(ours.fence()).isEqualTo(new Fence(1));
      assertThat(reason(theirs.await())).isEqualTo("locked");
      assertThat(counter("ours")).isEqualTo(1);
    }
  }

  @Test
  @Guarantee("LX8")
  void both_show_the_same_hashes() {
    Locks locks = holdfast().locks();
    NodePeer peer = peerOnReadyTables(locks);
    String surrogates = "\ud83d\udd12\u9501\u9375";
    List<String> texts =
        List.of("a", "resource:123", COMPOSED, DECOMPOSED, surrogates, "x".repeat(512), "\uffff");

    for (String text : texts) {
      Acquired ours = granted(locks.acquire(text, MINUTE));
      JsonNode seen = peer.call("lookup", "key", text);
      LockInfo info = locks.lookup(text).orElseThrow();

      assertThat(seen.path("keyHash").asText())
          .isEqualTo(info.keyHash())
          .isEqualTo(DisplayHash.of(text))
          .isEqualTo(peer.call("hash", "text", text).path("hash").asText());
      assertThat(seen.path("lockIdHash").asText())
          .isEqualTo(info.lockIdHash())
          .isEqualTo(peer.call("hash", "text", ours.lockId()).path("hash").asText());
      assertThat(seen.path("fence").asText()).isEqualTo(info.fence().text());
      assertThat(seen.path("expiresAtMs").asLong()).isEqualTo(info.expiresAt().toEpochMilli());
      assertThat(seen.path("acquiredAtMs").asLong()).isEqualTo(info.acquiredAt().toEpochMilli());
      assertThat(ours.release().ok()).isTrue();
    }
    assertThat(peer.call("hash", "text", "").path("hash").asText()).isEqualTo("0".repeat(24));
  }

  @Test
  @Guarantee({"LX9", "LF1"})
  void our_acquire_that_saw_expiry_yields_to_a_peers_extend_under_way() throws Exception {
    Locks locks = holdfast().locks();
    NodePeer peer = peerOnReadyTables(locks);

    Map<String, NodePeer.Command> extensions = new TreeMap<>();
    long expiresAtMs = 0;
    for (String point : List.of("after-read", "before-commit")) {
      JsonNode held = peer.call("acquire", "key", point, "ttlMs", SHORT.toMillis());
      Object[] extend = {"lockId", granted(held), "ttlMs", 60_000, "pause", point};
      extensions.put(point, peer.send("extend", extend).awaitPaused());
      expiresAtMs = held.path("expiresAtMs").asLong();
    }
    awaitDatabaseTime(expiresAtMs + TOLERANCE_MS);

    for (String key : extensions.keySet()) {
      assertThat(locks.isLocked(key)).isFalse();
      Future<LockAttempt> ours = threads.submit(() -> locks.acquire(key, MINUTE));
      awaitBlocked(application, PEER);
      peer.resume(extensions.get(key));

      assertThat(extensions.get(key).await().path("ok").asBoolean()).isTrue();
      assertThat(ours.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isInstanceOf(Locked.class);
      assertThat(locks.isLocked(key)).isTrue();
      assertThat(counter(key)).isEqualTo(1);
    }
  }

  @Test
  @Guarantee({"LX9", "LF1"})
  void a_peers_extend_that_began_in_time_yields_to_our_acquire() {
    Locks locks = holdfast().locks();
    NodePeer peer = peerOnReadyTables(locks);
    JsonNode held = peer.call("acquire", "key", "k", "ttlMs", SHORT.toMillis());
    String theirId = granted(held);
    NodePeer.Command extend =
        peer.send("extend", "lockId", theirId, "ttlMs", 60_000, "pause", "after-begin");
    extend.awaitPaused();
    awaitDatabaseTime(held.path("expiresAtMs").asLong() + TOLERANCE_MS);

    Acquired ours = granted(locks.acquire("k", MINUTE));
    peer.resume(extend);

    assertThat(reason(extend.await())).isEqualTo("not-found");
    assertThat(ours.fence()).isEqualTo(new Fence(2));
    assertThat(locks.owns(ours.lockId())).isTrue();
  }

  @Test
  @Guarantee({"LX9", "LF1"})
  void a_peers_acquire_waits_for_our_extend_and_is_refused() throws SQLException {
    PostgresHoldfast holdfast = holdfast();
    NodePeer peer = peerOnReadyTables(holdfast.locks());
    Acquired ours = granted(holdfast.locks().acquire("k", SHORT));

    try (Connection connection = connect()) {
      connection.setAutoCommit(false);
      assertThat(holdfast.in(connection).extend(ours.lockId(), MINUTE))
          .isInstanceOf(Extended.class);
      awaitDatabaseTime(ours.expiresAt().toEpochMilli() + TOLERANCE_MS);
      NodePeer.Command acquire = peer.send("acquire", "key", "k", "ttlMs", 60_000);
      awaitBlocked(PEER, application);
      connection.commit();

      assertThat(reason(acquire.await())).isEqualTo("locked");
      assertThat(holdfast.locks().owns(ours.lockId())).isTrue();
      assertThat(counter("k")).isEqualTo(1);
    }
  }

  @Test
  @Guarantee({"LX9", "LF1"})
  void our_extend_that_meets_a_peers_acquire_finds_the_lock_gone() throws Exception {
    Locks locks = holdfast().locks();
    NodePeer peer = peerOnReadyTables(locks);

    Map<String, Acquired> held = new TreeMap<>();
    long expiresAtMs = 0;
    for (String point : List.of("after-lock", "after-read", "before-commit")) {
      held.put(point, granted(locks.acquire(point, SHORT)));
      expiresAtMs = held.get(point).expiresAt().toEpochMilli();
    }
    awaitDatabaseTime(expiresAtMs + TOLERANCE_MS);

    for (String point : held.keySet()) {
      String ourId = held.get(point).lockId();
      NodePeer.Command acquire =
          peer.send("acquire", "key", point, "ttlMs", 60_000, "pause", point);
      acquire.awaitPaused();
      Future<ExtendOutcome> extend = threads.submit(() -> locks.extend(ourId, MINUTE));
      awaitBlocked(application, PEER);
      peer.resume(acquire);

      JsonNode theirs = acquire.await();
      assertThat(theirs.path("fence").asText()).isEqualTo("000000000000002");
      assertThat(extend.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
          .isEqualTo(new NotHeld(NotHeld.Reason.NOT_FOUND));
      assertThat(locks.owns(granted(theirs))).isTrue();
      assertThat(locks.owns(ourId)).isFalse();
    }
  }

  @Test
  @Guarantee("LX10")
  void mixed_operations_on_a_few_keys_never_deadlock() throws Exception {
    int seconds = Boolean.getBoolean("holdfast.long") ? 60 : 10;
    int workers = 4;
    List<String> keys = List.of("a", "b", "c", "d");
    useFreshDatabase();
    Map<String, Integer> grants = new ConcurrentHashMap<>();
    JsonNode theirs;
    try (PostgresHoldfast holdfast = PostgresHoldfast.open(javaUrl(), options());
        NodePeer peer = NodePeer.start(url, tables.schema())) {
      holdfast.setup();
      NodePeer.Command mixed =
          peer.send("mixed", "keys", keys, "seconds", seconds, "seed", 42, "workers", workers);
      long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      List<Callable<Map<String, Integer>>> ours = new ArrayList<>();
      for (int i = 0; i < workers; i++) {
        Mixed worker = new Mixed(holdfast.locks(), keys, new Random(i));
        ours.add(() -> worker.run(untilNanos));
      }
      for (Future<Map<String, Integer>> worker : threads.invokeAll(ours)) {
        worker.get().forEach((key, count) -> grants.merge(key, count, Integer::sum));
      }
      theirs = awaitAnswer(mixed, seconds);
    }

    assertThat(theirs.path("ok").asBoolean()).as("%s", theirs).isTrue();
    assertThat(theirs.path("errors").size()).as("%s", theirs).isZero();
    assertThat(failedStatements).isEmpty();
    assertThat(deadlocks()).isZero();
    for (String key : keys) {
      assertThat(grants.get(key)).as("our grants of %s", key).isPositive();
      assertThat(theirs.path("grants").path(key).asInt()).as("the peer's").isPositive();
      assertThat(counter(key))
          .isEqualTo(grants.get(key) + theirs.path("grants").path(key).asLong());
    }
  }

  /** Acquires, extends and releases at random; the id used is often one of the peer's. */
  private record Mixed(Locks locks, List<String> keys, Random random) {
    Map<String, Integer> run(long untilNanos) {
      Map<String, Integer> grants = new ConcurrentHashMap<>();
      while (System.nanoTime() - untilNanos < 0) {
        String key = keys.get(random.nextInt(keys.size()));
        Duration ttl = Duration.ofMillis(1 + random.nextInt(200));
        double dice = random.nextDouble();
        if (dice < 0.5) {
          grants.merge(key, acquire(key, ttl, dice) ? 1 : 0, Integer::sum);
        } else {
          locks.lookupRaw(key).map(LockInfoRaw::lockId).ifPresent(id -> use(id, ttl, dice));
        }
      }
      return grants;
    }

    private boolean acquire(String key, Duration ttl, double dice) {
      if (dice < 0.3) {
        return locks.acquire(key, ttl).ok();
      }
      Wait wait = Wait.upTo(Duration.ofMillis(20));
      return locks.acquire(key, ttl, dice < 0.4 ? wait : wait.fair()).ok();
    }

    private void use(String lockId, Duration ttl, double dice) {
      if (dice < 0.7) {
        locks.extend(lockId, ttl);
      } else {
        locks.release(lockId);
      }
    }
  }

  private static JsonNode awaitAnswer(NodePeer.Command command, int seconds) throws Exception {
    return command.answer().get(seconds + PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Deadlocks the server has counted in this database; a session reports its own when it ends. */
  private long deadlocks() {
    await("the end of both sides' sessions", () -> number(SESSIONS) == 0);
    return number("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  }

  // ---- both sides, and the database they meet in ----

  private void useFreshDatabase() {
    url = TestDatabase.freshDatabase();
    tables = LockTables.DEFAULTS.inSchema("public");
    String name = sql("SELECT current_database()");
    open.push(() -> TestDatabase.execute("DROP DATABASE " + name + " WITH (FORCE)"));
  }

  private PostgresHoldfast holdfast() {
    PostgresHoldfast holdfast = PostgresHoldfast.open(javaUrl(), options());
    open.push(holdfast);
    return holdfast;
  }

  private PostgresOptions options() {
    LockOptions locks =
        LockOptions.DEFAULTS.withPoll(Duration.ofMillis(20)).withPurgeEvery(Duration.ofSeconds(1));
    return PostgresOptions.DEFAULTS
        .withLockTables(tables)
        .withLocks(locks)
        .withListener(
            (operation, took, error) -> {
              if (error != null) {
                failedStatements.add(error);
              }
            });
  }

  private NodePeer peer(String... options) {
    NodePeer peer = NodePeer.start(url, tables.schema(), options);
    open.push(peer);
    return peer;
  }

  private NodePeer peerOnReadyTables(Locks locks) {
    locks.setup();
    return peer();
  }

  private String javaUrl() {
    return url + (url.contains("?") ? "&" : "?") + "ApplicationName=" + application;
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(javaUrl());
  }

  private static Acquired granted(LockAttempt attempt) {
    assertThat(attempt).isInstanceOf(Acquired.class);
    return (Acquired) attempt;
  }

  private static String granted(JsonNode answer) {
    assertThat(answer.path("ok").asBoolean()).as("%s", answer).isTrue();
    return answer.path("lockId").asText();
  }

  private static String reason(JsonNode answer) {
    assertThat(answer.path("ok").asBoolean()).as("%s", answer).isFalse();
    return answer.path("reason").asText();
  }

  private long counter(String key) {
    return number(
        "SELECT fence FROM %s.\"%s\" WHERE fence_key = 'fence:%s'"
            .formatted(tables.schema(), tables.fenceTable(), key));
  }

  /** Columns, keys and indexes of both tables. */
  private String shape() {
    return sql(
        """
        SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
          SELECT indexdef AS line FROM pg_indexes WHERE schemaname = '%1$s'
          UNION ALL
          SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default)
            FROM information_schema.columns WHERE table_schema = '%1$s') AS shape
        """
            .formatted(tables.schema()));
  }

  /** Waits until a session of one application waits for a lock that one of the other holds. */
  private void awaitBlocked(String waiting, String holding) {
    String blocked =
        """
        SELECT count(*) FROM pg_stat_activity AS waiting
          JOIN pg_stat_activity AS holding ON holding.pid = ANY (pg_blocking_pids(waiting.pid))
         WHERE waiting.application_name = '%s' AND holding.application_name = '%s'
           AND waiting.datname = current_database()
        """
            .formatted(waiting, holding);
    await(waiting + " to wait for " + holding, () -> number(blocked) > 0);
  }

  private void awaitDatabaseTime(long untilMs) {
    await("the database's clock", () -> nowMs() >= untilMs);
  }

  private long nowMs() {
    return number("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint");
  }

  /** Looks again and again, with a pause in the database between, for as long as patience lasts. */
  private void await(String what, BooleanSupplier condition) {
    long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited too long for " + what).isLessThan(untilNanos);
      number("SELECT 0 FROM pg_sleep(0.005)");
    }
  }

  private long number(String sql) {
    return Long.parseLong(sql(sql));
  }

  /** The first column of the first row, on a connection kept for looking. */
  private String sql(String sql) {
    try (Statement statement = looking().createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertThat(row.next()).as(sql).isTrue();
      return row.getString(1);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  private Connection looking() throws SQLException {
    if (looking == null) {
      Connection connection = DriverManager.getConnection(url);
      open.push(connection);
      looking = connection;
    }
    return looking;
  }
}
