package io.holdfast.testkit.queue;

import static io.holdfast.queue.QueueException.Kind.INVALID;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** How queues may be named and set. Whatever breaks a rule is refused and changes nothing. */
public abstract class QueueValidationContract extends QueueSuite {
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
  private static final String EMOJI = "\ud83d\udd12";

  @Test
  @Guarantee("Q77")
  void a_name_of_512_bytes_is_accepted_and_one_of_513_refused() {
    for (String name : List.of("x".repeat(512), "\u00e9".repeat(256), EMOJI.repeat(128))) {
      assertThat(queues.create(named(name)).name()).isEqualTo(name);
      assertThat(queues.get(name).name()).isEqualTo(name);
      assertNameRefused(name + "x");
    }
  }

  @Test
  @Guarantee("Q77")
  void a_name_is_not_blank_and_has_no_white_space_tilde_or_nul() {
    for (String name :
        List.of(
            "",
            " ",
            "\t",
            "a b",
            " a",
            "a\n",
            "a\u00a0b",
            "a\u2003b",
            "a\u0085b",
            "a\u3000b",
            "a\u2028b",
            "~",
            "a~b",
            "\0",
            "a\0b",
            "\ud83d",
            "a\udd12")) {
      assertNameRefused(name);
    }
  }

  @Test
  @Guarantee("Q77")
  void other_characters_are_welcome_in_a_name() {
    for (String name : List.of("a", "a.b/c:d", "UPPER", "'\"`;--", "\u65e5\u672c", EMOJI, "%_")) {
      assertThat(queues.create(named(name)).name()).isEqualTo(name);
      produce(queues.queue(name), name);
      assertThat(texts(lease(queues.queue(name), 5))).containsExactly(name);
    }
    queues.create(named("upper"));
    assertThat(stored(queues.queue("upper"))).isEmpty();
  }

  @Test
  @Guarantee("Q77")
  void a_namespace_has_at_most_256_characters_and_no_white_space_tilde_or_colon() {
    String longest = "\u00e9".repeat(256);
    assertThat(queues.create(named("a").inNamespace(longest)).namespace()).isEqualTo(longest);
    assertThat(queues.create(named("b").inNamespace("")).namespace()).isEqualTo("_system");
    for (String bad : List.of(longest + "x", "a b", "\u00a0", "a~b", "a:b", "a\0b", "\ud83d")) {
      assertRefused("namespace is invalid; ", () -> queues.create(named("q").inNamespace(bad)));
    }
  }

  @Test
  @Guarantee("Q77")
  void timeouts_are_required_and_at_least_a_microsecond() {
    Duration least = Duration.ofNanos(1000);
    assertThat(queues.create(named("least").leaseFor(least).expireAfter(least)).settings())
        .matches(s -> s.leaseTimeout().equals(least) && s.expireTimeout().equals(least));
    assertThat(queues.create(named("most").leaseFor(LONGEST).expireAfter(LONGEST)).settings())
        .matches(s -> s.leaseTimeout().compareTo(Duration.ofDays(365)) > 0);
    create(named("q"));

    String lease = "lease timeout is invalid; ";
    String expire = "expire timeout is invalid; ";
    assertRefused(lease, () -> queues.create(named("new").leaseFor(null)));
    assertRefused(expire, () -> queues.create(named("new").expireAfter(null)));
    for (Duration bad :
        List.of(Duration.ZERO, Duration.ofNanos(999), Duration.ofNanos(-1), LONGEST.negated())) {
      assertRefused(lease, () -> queues.create(named("new").leaseFor(bad)));
      assertRefused(expire, () -> queues.create(named("new").expireAfter(bad)));
      assertRefused(lease, () -> queues.update("q", QueueUpdate.NOTHING.leaseFor(bad)));
      assertRefused(expire, () -> queues.update("q", QueueUpdate.NOTHING.expireAfter(bad)));
    }
  }

  @Test
  @Guarantee("Q77")
  void a_lease_is_not_longer_than_the_expiry() {
    String tooLong = "lease timeout is too long";
    create(named("q"));
    create(named("equal").leaseFor(EXPIRE));

    assertRefused(tooLong, () -> queues.create(named("new").leaseFor(EXPIRE.plusNanos(1000))));
    assertRefused(tooLong, () -> update(QueueUpdate.NOTHING.leaseFor(EXPIRE.plusNanos(1000))));
    assertRefused(tooLong, () -> update(QueueUpdate.NOTHING.expireAfter(LEASE.minusNanos(1000))));
    update(QueueUpdate.NOTHING.leaseFor(EXPIRE).expireAfter(EXPIRE));
    assertThat(queues.get("q").settings().leaseTimeout()).isEqualTo(EXPIRE);
  }

  @Test
  @Guarantee("Q77")
  void a_dead_queue_has_a_name_like_any_queue() {
    create(named("q"));
    for (String bad : List.of(" ", "a b", "a~b", "x".repeat(513), "a\0b")) {
      assertRefused("dead queue is invalid", () -> queues.create(named("new").deadQueue(bad)));
      assertRefused("dead queue is invalid", () -> update(QueueUpdate.NOTHING.deadQueue(bad)));
    }
  }

  @Test
  @Guarantee("Q77")
  void attempts_are_limited_to_65536() {
    assertThat(queues.create(named("q").maxAttempts(65536)).settings().maxAttempts())
        .isEqualTo(65536);
    for (int bad : new int[] {-1, 65537, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertRefused("max attempts is invalid", () -> queues.create(named("new").maxAttempts(bad)));
      assertRefused("max attempts is invalid", () -> update(QueueUpdate.NOTHING.maxAttempts(bad)));
    }
  }

  @Test
  @Guarantee("Q77")
  void a_reference_has_at_most_2000_bytes() {
    String longest = "\u00e9".repeat(1000);
    assertThat(queues.create(named("q").reference(longest)).settings().reference())
        .isEqualTo(longest);
    for (String bad : List.of(longest + "x", "x".repeat(2001), "a\0b", "\udd12")) {
      assertRefused("reference field is invalid", () -> create(named("new").reference(bad)));
      assertRefused("reference field is invalid", () -> update(QueueUpdate.NOTHING.reference(bad)));
    }
  }

  @Test
  @Guarantee("Q77")
  void a_queue_has_1_to_1024_partitions() {
    create(named("q"));
    for (int bad : new int[] {0, -1, 1025, Integer.MAX_VALUE}) {
      assertRefused("partitions is invalid", () -> queues.create(named("new").partitions(bad)));
    }
    for (int bad : new int[] {-1, 1025, Integer.MIN_VALUE}) {
      assertRefused("partitions is invalid", () -> update(QueueUpdate.NOTHING.partitions(bad)));
    }
  }

  @Test
  @Guarantee("Q77")
  void a_new_queue_is_checked_in_the_documented_order() {
    create(named("there"));
    String longReference = "x".repeat(2001);
    NewQueue all = new NewQueue("a b", "a:b", null, Duration.ZERO, "nobody", -1, longReference, 0);
    assertRefused("queue name is invalid", () -> queues.create(all));
    NewQueue there =
        new NewQueue("there", "a:b", null, Duration.ZERO, "nobody", -1, longReference, 0);
    assertRefused("namespace is invalid", () -> queues.create(there));
    assertThat(failing(INVALID, () -> queues.create(there.inNamespace(""))))
        .hasMessageContaining("already exists");
    NewQueue fresh = new NewQueue("q", "", null, Duration.ZERO, "nobody", -1, longReference, 0);
    assertRefused("dead queue is invalid", () -> queues.create(fresh));
    NewQueue alive = fresh.deadQueue("");
    assertRefused("reference field is invalid", () -> queues.create(alive));
    assertRefused("max attempts is invalid", () -> queues.create(alive.reference("")));
    NewQueue sized = alive.reference("").maxAttempts(0);
    assertRefused("partitions is invalid", () -> queues.create(sized));
    NewQueue timed = sized.partitions(1);
    assertThat(failing(INVALID, () -> queues.create(timed))).hasMessageContaining("timeout");
    NewQueue expiring = timed.expireAfter(EXPIRE);
    assertRefused("lease timeout is invalid", () -> queues.create(expiring));
    assertRefused(
        "lease timeout is too long", () -> queues.create(expiring.leaseFor(EXPIRE.plusDays(1))));
    assertThat(queues.list(QueuePage.FIRST)).hasSize(1);
  }

  @Test
  @Guarantee("Q77")
  void an_update_is_checked_in_the_same_order_after_the_name() {
    QueueUpdate all =
        new QueueUpdate(Duration.ZERO, Duration.ZERO, "nobody", -1, "x".repeat(2001), -1);
    assertRefused("queue name is invalid", () -> queues.update("a b", all));
    assertRefused("queue does not exist; ", () -> queues.update("q", all));
    create(named("q"));
    assertRefused("dead queue is invalid", () -> update(all));
    assertRefused("reference field is invalid", () -> update(all.deadQueue("")));
    QueueUpdate alive = all.deadQueue("").reference("");
    assertRefused("max attempts is invalid", () -> update(alive));
    assertRefused("partitions is invalid", () -> update(alive.maxAttempts(0)));
    QueueUpdate timed = alive.maxAttempts(0).partitions(0);
    assertThat(failing(INVALID, () -> update(timed))).hasMessageContaining("timeout");
  }

  @Test
  @Guarantee("Q77")
  void a_list_of_queues_has_a_limit_up_to_65536_and_no_tilde_in_its_pivot() {
    create(named("q"));
    for (int good : new int[] {0, 1, 65536}) {
      assertThat(queues.list(new QueuePage("", good, null))).hasSize(1);
    }
    assertThat(queues.list(new QueuePage("  ", 0, null))).hasSize(1);
    for (int bad : new int[] {-1, 65537, Integer.MIN_VALUE}) {
      assertRefused("limit is invalid", () -> queues.list(new QueuePage("", bad, null)));
    }
    assertRefused("pivot is invalid", () -> queues.list(new QueuePage("a~b", 0, null)));
    assertRefused("pivot is invalid", () -> queues.list(new QueuePage("~", -1, null)));
  }

  private void update(QueueUpdate update) {
    queues.update("q", update);
  }

  private void assertNameRefused(String name) {
    String message = "queue name is invalid";
    assertRefused(message, () -> queues.create(named(name)));
    assertRefused(message, () -> queues.get(name));
    assertRefused(message, () -> queues.update(name, QueueUpdate.NOTHING.maxAttempts(-1)));
    assertRefused(message, () -> queues.delete(name, true));
    assertRefused(message, () -> queues.queue(name).produce(List.of(), Duration.ZERO));
    assertRefused(message, () -> now(waiting(queues.queue(name), "", 0)));
    assertRefused(message, () -> queues.queue(name).complete(-1, List.of(), Duration.ZERO));
    assertRefused(message, () -> queues.queue(name).retry(-1, List.of()));
    assertRefused(message, () -> queues.queue(name).extend(-1, List.of(), null));
    assertRefused(message, () -> queues.queue(name).admin().stats());
    assertRefused(message, () -> queues.queue(name).admin().pause());
    assertRefused(message, () -> queues.queue(name).admin().resume());
    assertRefused(message, () -> queues.queue(name).admin().reload());
    assertRefused(message, () -> queues.queue(name).admin().redrive(0));
    assertRefused(message, () -> queues.queue(name).admin().list(-1, "?", -1));
  }

  private static void assertRefused(String start, ThrowingCallable call) {
    QueueException refusal = failing(INVALID, call);
    assertThat(refusal).hasMessageStartingWith(start);
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }
}
