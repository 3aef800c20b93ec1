package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.INVALID_ARGUMENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Ack;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What calls may say. Whatever breaks a rule is refused and changes nothing. */
public abstract class StreamValidationContract extends StreamSuite {
  private static final String EMOJI = "\ud83d\udd12";

  /** Texts of 255 characters, however many bytes or UTF-16 units those have. */
  private static final List<String> LONGEST =
      List.of("x".repeat(255), "\u00e9".repeat(255), "\u6f22".repeat(255), EMOJI.repeat(255));

  private static final List<String> UNSTORABLE =
      List.of("\0", "a\0b", "\ud83d", "a\ud83d", "\udd12", "\udd12\ud83d", "\ud83d\ud83d\udd12");

  /** Texts that no name may be, beyond the shortest. */
  private static List<String> badNames() {
    return Stream.concat(LONGEST.stream().map(name -> name + "x"), UNSTORABLE.stream()).toList();
  }

  private static StreamError refused(ThrowingCallable call) {
    return failing(INVALID_ARGUMENT, call).error();
  }

  private void assertNothingStored() {
    assertThat(streams.admin().list(null, 10)).isEmpty();
  }

  @Test
  @Guarantee({"S04", "S14"})
  void names_of_255_characters_are_accepted_by_push_and_pop() {
    for (String name : LONGEST) {
      streams.push(List.of(NewMessage.to(name, "a").in(name)));

      Popped popped = streams.pop(PopRequest.of(name).partition(name).group(name));

      assertThat(popped.queue()).isEqualTo(name);
      assertThat(popped.group()).isEqualTo(name);
      assertThat(popped.batches().get(0).partition()).isEqualTo(name);
      assertThat(streams.ack(popped.ackAll(Verdict.COMPLETED)).get(0).isSuccess()).isTrue();
    }
  }

  @Test
  @Guarantee("S04")
  void names_are_told_apart_by_every_character() {
    List<String> names = List.of("", " ", "a", "A", "a ", "\u00e9", "e\u0301", "%", "_", "'\";--");
    for (String name : names) {
      streams.push(List.of(NewMessage.to(name, "in " + name)));
    }

    for (String name : names) {
      assertThat(texts(streams.pop(PopRequest.of(name).batch(10)))).containsExactly("in " + name);
    }
  }

  @Test
  @Guarantee("S14")
  void a_push_with_a_bad_name_is_refused() {
    NewMessage good = NewMessage.to(QUEUE, "a").in("p");
    for (String bad : badNames()) {
      refused(() -> streams.push(List.of(good, NewMessage.to(bad, "a"))));
      refused(() -> streams.push(List.of(good, good.in(bad))));
      refused(() -> streams.push(List.of(good, good.once(bad))));
      refused(() -> now(streams.pushAsync(List.of(good.once(bad)), null)));
      refused(() -> streams.transact(List.of(good.in(bad)), List.of()));
    }
    refused(() -> streams.push(List.of(good, good.in(""))));

    assertNothingStored();
  }

  @Test
  @Guarantee("S14")
  void a_producers_name_that_cannot_be_stored_is_refused() {
    for (String bad : UNSTORABLE) {
      refused(() -> streams.push(List.of(NewMessage.to(QUEUE, "a")), bad));
    }

    assertNothingStored();
  }

  @Test
  @Guarantee("S14")
  void a_push_takes_10_000_messages_and_not_one_more() {
    List<NewMessage> most = Collections.nCopies(10_000, NewMessage.to(QUEUE, "a").in("p"));
    List<NewMessage> more = new ArrayList<>(most);
    more.add(NewMessage.to(QUEUE, "b").in("p"));

    refused(() -> streams.push(more));
    assertNothingStored();
    List<Pushed> pushed = streams.push(most);

    assertThat(pushed).hasSize(10_000);
    assertThat(pushed.get(9_999).offset()).isEqualTo(10_000);
    assertThat(pop(10_000).messages()).hasSize(10_000);
  }

  @Test
  @Guarantee({"S13", "S14"})
  void a_payload_has_4_mib_and_not_one_byte_more() {
    Payload largest = Payload.of(new byte[4 << 20]);
    Payload larger = Payload.of(new byte[(4 << 20) + 1]);

    failing(
        StreamError.PAYLOAD_TOO_LARGE,
        () -> streams.push(List.of(NewMessage.to(QUEUE, "a"), NewMessage.to(QUEUE, larger))));
    assertNothingStored();
    streams.push(List.of(NewMessage.to(QUEUE, largest)));

    assertThat(pop(1).messages().get(0).payload()).isEqualTo(largest);
  }

  @Test
  @Guarantee("S24")
  void a_pop_with_a_bad_name_is_refused_and_registers_nothing() {
    push("p", "a");
    for (String bad : badNames()) {
      refused(() -> streams.pop(PopRequest.of(bad)));
      refused(() -> streams.pop(request(1).partition(bad)));
      refused(() -> streams.pop(request(1).group(bad)));
      refused(() -> streams.pop(PopRequest.of(PopSource.labels(bad, null))));
      refused(() -> streams.pop(PopRequest.of(PopSource.labels(null, bad))));
    }
    refused(() -> streams.pop(request(1).partition("")));
    refused(() -> streams.pop(request(1).group("")));
    refused(() -> streams.pop(PopRequest.of(PopSource.labels(null, null))));
    refused(() -> streams.pop(PopRequest.of(PopSource.labels("orders", null)).partition("p")));

    assertThat(streams.admin().groups(null)).isEmpty();
  }

  @Test
  @Guarantee({"S34", "S36"})
  void the_size_wait_and_lease_of_a_pop_have_ranges() {
    push("p", "a");
    List<PopRequest> bad = new ArrayList<>();
    for (int size : new int[] {0, -1, 10_001, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      bad.add(request(size));
    }
    for (int partitions : new int[] {0, -1, 1_001, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      bad.add(request(1).partitions(partitions));
    }
    for (Duration wait : List.of(Duration.ofNanos(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
      bad.add(request(1).waiting(wait));
    }
    bad.addAll(badLeases().map(lease -> request(1).leaseFor(lease)).toList());
    bad.add(request(1).startingAt(new Start(Start.Mode.TIMESTAMP, null)));

    for (PopRequest request : bad) {
      refused(() -> streams.pop(request));
      refused(() -> now(streams.popAsync(request)));
      refused(() -> now(streams.ackAndPop(List.of(), request)));
    }
    assertThat(streams.admin().groups(null)).isEmpty();
    PopRequest widest = request(10_000).partitions(1_000).leaseFor(Duration.ofDays(1));
    assertThat(texts(streams.pop(widest.waiting(Duration.ofDays(1))))).containsExactly("a");
  }

  private static Stream<Duration> badLeases() {
    return Stream.of(
        Duration.ZERO,
        Duration.ofSeconds(-1),
        Duration.ofMillis(999),
        Duration.ofDays(1).plusMillis(1),
        Duration.ofSeconds(Long.MAX_VALUE),
        Duration.ofSeconds(Long.MIN_VALUE));
  }

  @Test
  @Guarantee({"S46", "S66"})
  void an_extension_is_from_a_second_to_a_day_long() {
    push("p", "a");
    UUID lease = leaseOf(pop(1));

    badLeases().forEach(bad -> refused(() -> streams.extend(lease, bad)));

    assertThat(streams.extend(lease, Duration.ofDays(1)).expiresAt())
        .isEqualTo(instant().plus(Duration.ofDays(1)));
  }

  @Test
  @Guarantee("S66")
  void a_bad_ack_refuses_the_whole_call() {
    push("p", "a", "b");
    Popped popped = pop(2);
    Ack good = acks(popped, Verdict.COMPLETED, 0).get(0);
    List<Ack> bad = new ArrayList<>();
    for (String name : badNames()) {
      bad.add(about(good, good.group(), Ack.Target.transaction(name)));
      bad.add(about(good, name, good.message()));
    }
    bad.add(about(good, "", good.message()));
    bad.add(about(good, good.group(), Ack.Target.transaction("")));
    bad.add(new Ack(good.partitionId(), GROUP, null, good.message(), Verdict.COMPLETED, null));

    for (Ack ack : bad) {
      refused(() -> streams.ack(List.of(good, ack)));
      refused(() -> now(streams.ackAsync(List.of(good, ack))));
      refused(() -> now(streams.ackAndPop(List.of(good, ack), request(1))));
      refused(() -> streams.transact(List.of(), List.of(good, ack)));
    }
    assertThat(committed("p")).isZero();
    assertThat(streams.ack(List.of(good)).get(0).isSuccess()).isTrue();
  }

  private static Ack about(Ack ack, String group, Ack.Target target) {
    return new Ack(ack.partitionId(), group, ack.leaseId(), target, ack.verdict(), null);
  }

  @Test
  void an_ack_takes_10_000_verdicts_and_not_one_more() {
    push("p", "a", "b");
    Popped popped = pop(2);
    Ack one = acks(popped, Verdict.COMPLETED, 0).get(0);

    refused(() -> streams.ack(Collections.nCopies(10_001, one)));
    assertThat(committed("p")).isZero();

    assertThat(streams.ack(Collections.nCopies(10_000, one))).hasSize(10_000);
    assertThat(committed("p")).isEqualTo(1);
    assertThat(streams.ack(List.of())).isEmpty();
  }

  @Test
  @Guarantee("S65")
  void foreign_and_forged_ids_resolve_to_nothing_and_change_nothing() {
    streams.configure(config());
    streams.push(List.of(NewMessage.to("other", "x").in("p")));
    push("p", "a", "b");
    Popped ours = pop(2);
    Popped theirs = streams.pop(PopRequest.of("other").group(GROUP));
    Ack good = acks(ours, Verdict.FAILED, 0).get(0);
    UUID mine = good.partitionId();
    UUID foreign = theirs.batches().get(0).partitionId();

    for (UUID partition : strangers(mine, foreign)) {
      Ack ack =
          new Ack(partition, GROUP, good.leaseId(), good.message(), Verdict.DEAD_LETTER, null);
      assertThat(errors(streams.ack(List.of(ack)))).containsExactly(StreamError.LEASE_LOST);
      failing(StreamError.LEASE_LOST, () -> streams.release(leaseOf(ours), partition));
      assertThat(streams.browser().message(partition, "a")).isEmpty();
      assertThat(streams.browser().delete(partition, "a")).isFalse();
    }
    for (UUID lease : strangers(leaseOf(ours), leaseOf(theirs))) {
      Ack ack = new Ack(mine, GROUP, lease, good.message(), Verdict.DEAD_LETTER, null);
      assertThat(errors(streams.ack(List.of(ack)))).containsExactly(StreamError.LEASE_LOST);
      failing(StreamError.LEASE_LOST, () -> streams.release(lease, mine));
      if (!lease.equals(theirs.leaseId())) {
        failing(StreamError.LEASE_LOST, () -> streams.extend(lease, Duration.ofHours(1)));
        failing(StreamError.LEASE_LOST, () -> streams.release(lease, null));
      }
    }
    Ack group = about(good, "unknown", good.message());
    assertThat(errors(streams.ack(List.of(group)))).containsExactly(StreamError.LEASE_LOST);

    assertThat(committed("p")).isZero();
    assertThat(streams.deadLetters().list(DeadLetterQuery.of(null))).isEmpty();
    assertThat(streams.browser().leases(null)).hasSize(2);
    assertThat(ack(ours, Verdict.COMPLETED)).allMatch(acked -> acked.isReleased());
    assertThat(ack(theirs, Verdict.COMPLETED)).allMatch(acked -> acked.isReleased());
  }

  /** Ids that are not {@code id}: another's, nobody's, and some that differ in one bit. */
  private List<UUID> strangers(UUID id, UUID foreign) {
    List<UUID> ids =
        new ArrayList<>(
            List.of(
                foreign,
                new UUID(0, 0),
                new UUID(-1, -1),
                UUID.randomUUID(),
                new UUID(0x8000L, 0x8000_0000_0000_0000L),
                new UUID(0xffff_ffff_ffff_8fffL, 0xbfff_ffff_ffff_ffffL)));
    int step = subject.isInProcess() ? 1 : 7;
    for (int bit = 0; bit < 64; bit += step) {
      ids.add(new UUID(id.getMostSignificantBits() ^ (1L << bit), id.getLeastSignificantBits()));
      ids.add(new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() ^ (1L << bit)));
    }
    return ids;
  }

  @Test
  @Guarantee("S65")
  void ids_of_a_deleted_queue_resolve_to_nothing_also_under_its_old_name() {
    push("p", "a");
    Popped old = pop(1);
    streams.delete(QUEUE);
    push("p", "b");
    Popped fresh = pop(1);

    assertThat(errors(ack(old, Verdict.COMPLETED))).containsExactly(StreamError.LEASE_LOST);
    failing(StreamError.LEASE_LOST, () -> streams.extend(leaseOf(old), LEASE));
    failing(StreamError.LEASE_LOST, () -> streams.release(leaseOf(old), null));

    assertThat(committed("p")).isZero();
    assertThat(ack(fresh, Verdict.COMPLETED).get(0).isReleased()).isTrue();
  }

  @Test
  @Guarantee("S102")
  void a_configuration_with_a_bad_name_is_refused() {
    for (String bad : badNames()) {
      refused(() -> streams.configure(StreamConfig.of(bad)));
      refused(() -> streams.configure(StreamConfig.of("new").labelled(bad, null)));
      refused(() -> streams.configure(StreamConfig.of("new").labelled(null, bad)));
      refused(() -> streams.delete(bad));
    }
    assertNothingStored();

    for (String name : LONGEST) {
      StreamInfo info = streams.configure(StreamConfig.of(name).labelled(name, name));
      assertThat(info.name()).isEqualTo(name);
      assertThat(info.labels()).isEqualTo(new StreamInfo.Labels(name, name));
    }
  }

  @Test
  @Guarantee("S102")
  void options_have_types_and_ranges_and_a_bad_one_changes_nothing() {
    StreamInfo before = streams.configure(config());
    Map<StreamOption, List<Object>> bad =
        Map.ofEntries(
            Map.entry(StreamOption.LEASE_TIME, List.of(0, 86_401, -1, "10", true, 1.5)),
            Map.entry(StreamOption.RETRY_LIMIT, List.of(-1, 1001, "3")),
            Map.entry(StreamOption.RETRY_DELAY, List.of(-1, 86_400_001, false)),
            Map.entry(StreamOption.DELIVERY_LIMIT, List.of(0, 10_001, "x")),
            Map.entry(StreamOption.ON_EXHAUSTED, List.of("", "drop", "DEADLETTER", 1, true)),
            Map.entry(StreamOption.MAX_SIZE, List.of(-1, Long.MIN_VALUE, Long.MAX_VALUE, "1")),
            Map.entry(StreamOption.DELAYED_PROCESSING, List.of(-1, Long.MAX_VALUE, "1")),
            Map.entry(StreamOption.WINDOW_BUFFER, List.of(-1, Long.MAX_VALUE, "1")),
            Map.entry(StreamOption.MAX_WAIT_TIME, List.of(-1, Long.MAX_VALUE, "1")),
            Map.entry(StreamOption.MAX_WAIT_ACTION, List.of("park", 0, "")),
            Map.entry(StreamOption.RETENTION, List.of(-1, Long.MAX_VALUE, "1")),
            Map.entry(StreamOption.COMPLETED_RETENTION, List.of(-1, Long.MAX_VALUE, "1")),
            Map.entry(StreamOption.RETENTION_ENABLED, List.of("true", 1, 0)),
            Map.entry(StreamOption.ABANDONED_GROUP, List.of(-1, Long.MAX_VALUE, "1")),
            Map.entry(StreamOption.DEDUP_WINDOW, List.of(-1, Long.MAX_VALUE, "1")),
            Map.entry(StreamOption.ENCRYPTION_ENABLED, List.of("false", 0)),
            Map.entry(StreamOption.UNPARTITIONED, List.of("Default", "", 7)),
            Map.entry(StreamOption.TTL, List.of("3600", true)),
            Map.entry(StreamOption.PRIORITY, List.of("high", true)),
            Map.entry(StreamOption.DEAD_LETTER_QUEUE, List.of("yes", 1)),
            Map.entry(StreamOption.DLQ_AFTER_MAX_RETRIES, List.of("yes", 1)));
    assertThat(bad).containsOnlyKeys(StreamOption.values());

    bad.forEach(
        (option, values) ->
            values.forEach(
                value -> {
                  StreamConfig change = config().retrying(7, LEASE).with(option, value);
                  assertThat(failing(INVALID_ARGUMENT, () -> streams.configure(change)))
                      .hasMessageContaining(option.text());
                  refused(() -> streams.configure(StreamConfig.of("new").with(option, value)));
                }));

    assertThat(streams.admin().find(QUEUE)).contains(before);
    assertThat(streams.admin().find("new")).isEmpty();
  }

  @Test
  @Guarantee("S103")
  void options_are_accepted_up_to_the_ends_of_their_ranges() {
    Map<StreamOption, List<Object>> good =
        Map.of(
            StreamOption.LEASE_TIME, List.of(1L, 86_400L),
            StreamOption.RETRY_LIMIT, List.of(0L, 1000L),
            StreamOption.RETRY_DELAY, List.of(0L, 86_400_000L),
            StreamOption.DELIVERY_LIMIT, List.of(1L, 10_000L),
            StreamOption.ON_EXHAUSTED, List.of("park", "deadLetter"),
            StreamOption.MAX_SIZE, List.of(0L, 1_000_000_000_000L),
            StreamOption.MAX_WAIT_ACTION, List.of("deadLetter", "discard"),
            StreamOption.UNPARTITIONED, List.of("spread", "default"),
            StreamOption.TTL, List.of(Long.MIN_VALUE, Long.MAX_VALUE),
            StreamOption.DEAD_LETTER_QUEUE, List.of(true, false));

    good.forEach(
        (option, values) ->
            values.forEach(
                value -> {
                  StreamInfo info = streams.configure(config().with(option, value));
                  assertThat(info.settings().values()).containsEntry(option, value);
                  assertThat(streams.admin().find(QUEUE)).contains(info);
                }));
  }
}
