package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.DECRYPT_FAILED;
import static io.holdfast.stream.StreamError.ENCRYPTION_UNAVAILABLE;
import static io.holdfast.stream.StreamError.INVALID_ARGUMENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Message;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.Redriven;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queues whose payloads are stored encrypted. */
@SuppressWarnings("NullAway.Init") // the field is set before each test
public abstract class StreamEncryptionContract extends StreamOperatorSuite {
  private static final String KEY = "0123456789abcdef".repeat(4);
  private static final String OTHER_KEY = "fedcba9876543210".repeat(4);
  private static final String OTHER = "vault";

  private Streams keyed;

  @BeforeEach
  void openWithKey() {
    keyed = over(subject.process(), OPTIONS.withEncryptionKey(KEY));
  }

  private static StreamConfig encrypting(String queue, boolean isOn) {
    return StreamConfig.of(queue).with(StreamOption.ENCRYPTION_ENABLED, isOn);
  }

  private static NewMessage secret(String text) {
    return NewMessage.to(QUEUE, text).in("p");
  }

  private Popped take(Streams service, int batch) {
    return service.pop(request(batch));
  }

  /** The messages of a queue as they are stored, newest first. */
  private List<StoredMessage> raw(String queue) {
    return subject.process().reader().messages(MessageQuery.of(queue), StoreCall.plain());
  }

  private static String latin(Payload payload) {
    return new String(payload.bytes(), StandardCharsets.ISO_8859_1);
  }

  /** A secret that {@link #GROUP} gave up. */
  private DeadLetter buriedSecret() {
    keyed.configure(encrypting(QUEUE, true));
    keyed.push(List.of(secret("attack at dawn")));
    Popped held = take(keyed, 1);
    keyed.ack(held.ackAll(Verdict.DEAD_LETTER));
    return keyed.deadLetters().list(DeadLetterQuery.of(QUEUE)).get(0);
  }

  @Test
  @Guarantee("S106")
  void encrypted_payloads_are_unreadable_in_the_table_and_readable_by_consumers() {
    keyed.configure(encrypting(QUEUE, true));

    keyed.push(List.of(secret("attack at dawn"), secret("attack at dawn"), secret("")));

    List<StoredMessage> raw = raw(QUEUE);
    assertThat(raw).hasSize(3).allMatch(StoredMessage::isEncrypted);
    assertThat(raw).noneMatch(stored -> latin(stored.message().payload()).contains("attack"));
    assertThat(raw.get(1).message().payload()).isNotEqualTo(raw.get(2).message().payload());
    Popped popped = take(keyed, 3);
    assertThat(texts(popped)).containsExactly("attack at dawn", "attack at dawn", "");
    assertThat(popped.batches().get(0).deliveries()).allMatch(d -> d.isEncrypted());
    Streams there = over(subject.process(), OPTIONS.withEncryptionKey(KEY));
    assertThat(texts(there.pop(request(3).group("there")))).hasSize(3).contains("attack at dawn");
  }

  @Test
  @Guarantee("S106")
  void operators_with_the_key_read_messages_and_letters() {
    DeadLetter letter = buriedSecret();

    assertThat(letter.isEncrypted()).isTrue();
    assertThat(letter.message().payload().text()).isEqualTo("attack at dawn");
    assertThat(keyed.deadLetters().get(letter.id())).contains(letter);
    Message found = keyed.browser().find(QUEUE, letter.message().transactionId()).get(0).message();
    assertThat(found.payload().text()).isEqualTo("attack at dawn");
    assertThat(keyed.browser().messages(MessageQuery.of(QUEUE)).get(0).message()).isEqualTo(found);
    assertThat(streams.deadLetters().get(letter.id()).orElseThrow().message().payload())
        .matches(payload -> !payload.isReadable());
  }

  @Test
  @Guarantee("S107")
  void no_key_means_no_push() {
    streams.configure(encrypting(QUEUE, true));

    failing(ENCRYPTION_UNAVAILABLE, () -> push("p", "attack at dawn"));
    failing(
        ENCRYPTION_UNAVAILABLE,
        () -> streams.push(List.of(NewMessage.to("plain", "x"), secret("attack at dawn"))));
    failing(
        ENCRYPTION_UNAVAILABLE,
        () -> streams.transact(List.of(secret("attack at dawn")), List.of()));

    assertThat(raw(QUEUE)).isEmpty();
    assertThat(streams.admin().find("plain")).isEmpty();
    streams.push(List.of(NewMessage.to("plain", "x")));
    assertThat(texts(streams.pop(PopRequest.of("plain")))).containsExactly("x");
  }

  @Test
  @Guarantee("S107")
  void a_process_that_has_not_heard_of_the_encryption_stores_no_plain_text() {
    push("p", "plain");
    keyed.push(List.of(secret("plain too")));
    Streams there = process();

    there.configure(encrypting(QUEUE, true));

    failing(ENCRYPTION_UNAVAILABLE, () -> push("p", "attack at dawn"));
    keyed.push(List.of(secret("attack at dawn")));
    there.configure(encrypting(QUEUE, false));
    push("p", "plain again");
    keyed.push(List.of(secret("and again")));
    assertThat(raw(QUEUE))
        .extracting(StoredMessage::isEncrypted)
        .containsExactly(false, false, true, false, false);
    assertThat(texts(take(keyed, 5)))
        .containsExactly("plain", "plain too", "attack at dawn", "plain again", "and again");
  }

  @Test
  void a_wrong_key_makes_that_message_unreadable_and_the_rest_is_delivered() {
    push("p", "before");
    keyed.configure(encrypting(QUEUE, true));
    keyed.push(List.of(secret("attack at dawn")));
    Streams stranger = over(subject.process(), OPTIONS.withEncryptionKey(OTHER_KEY));
    stranger.push(List.of(secret("mine")));

    Popped popped = take(stranger, 5);

    List<Message> messages = popped.messages();
    assertThat(messages).hasSize(3);
    assertThat(messages.get(0).payload().text()).isEqualTo("before");
    assertThat(messages.get(1).payload().isReadable()).isFalse();
    failing(DECRYPT_FAILED, () -> messages.get(1).payload().text());
    failing(DECRYPT_FAILED, () -> messages.get(1).payload().bytes());
    assertThat(messages.get(2).payload().text()).isEqualTo("mine");
    stranger.release(lease(popped), null);
    assertThat(take(keyed, 5).messages().get(1).payload().text()).isEqualTo("attack at dawn");
  }

  @Test
  void without_a_key_encrypted_messages_are_delivered_unreadable() {
    keyed.configure(encrypting(QUEUE, true));
    keyed.push(List.of(secret("attack at dawn")));

    Popped popped = pop(1);

    assertThat(popped.messages().get(0).payload().isReadable()).isFalse();
    ack(popped, Verdict.FAILED, "unreadable");
    time.advance(Duration.ofSeconds(1));
    assertThat(texts(take(keyed, 1))).containsExactly("attack at dawn");
  }

  @Test
  void a_redriven_letter_stays_readable() {
    DeadLetter letter = buriedSecret();

    Redriven redriven = keyed.deadLetters().redrive(List.of(letter.id()), Redrive.BACK).get(0);

    assertThat(redriven.outcome()).isEqualTo(Redriven.Outcome.MOVED);
    assertThat(raw(QUEUE)).hasSize(2).allMatch(StoredMessage::isEncrypted);
    assertThat(texts(take(keyed, 1))).containsExactly("attack at dawn");
  }

  @Test
  void even_without_the_key_a_letter_can_go_back() {
    DeadLetter letter = buriedSecret();

    streams.deadLetters().redrive(List.of(letter.id()), Redrive.BACK);

    assertThat(texts(take(keyed, 1))).containsExactly("attack at dawn");
  }

  @Test
  void a_letter_moved_to_another_encrypted_queue_is_encrypted_for_it() {
    DeadLetter letter = buriedSecret();
    keyed.configure(encrypting(OTHER, true));

    keyed.deadLetters().redrive(List.of(letter.id()), new Redrive(false, OTHER, "v", null));

    assertThat(raw(OTHER)).hasSize(1).allMatch(StoredMessage::isEncrypted);
    assertThat(texts(keyed.pop(PopRequest.of(OTHER)))).containsExactly("attack at dawn");
  }

  @Test
  void a_letter_moved_to_a_plain_queue_is_plain() {
    DeadLetter letter = buriedSecret();
    keyed.configure(encrypting(OTHER, false));

    keyed.deadLetters().redrive(List.of(letter.id()), new Redrive(false, OTHER, null, null));

    assertThat(raw(OTHER)).hasSize(1).noneMatch(StoredMessage::isEncrypted);
    assertThat(texts(streams.pop(PopRequest.of(OTHER)))).containsExactly("attack at dawn");
  }

  @Test
  void an_edited_payload_is_encrypted_as_its_queue_wants_it() {
    DeadLetter letter = buriedSecret();
    Redrive edited = new Redrive(false, null, null, Payload.of("attack at noon"));

    failing(
        ENCRYPTION_UNAVAILABLE, () -> streams.deadLetters().redrive(List.of(letter.id()), edited));
    keyed.deadLetters().redrive(List.of(letter.id()), edited);

    assertThat(raw(QUEUE)).hasSize(2).allMatch(StoredMessage::isEncrypted);
    assertThat(texts(take(keyed, 1))).containsExactly("attack at noon");
  }

  @Test
  void a_letter_that_cannot_be_read_cannot_move_to_another_queue() {
    DeadLetter letter = buriedSecret();
    Redrive away = new Redrive(false, OTHER, null, null);

    failing(DECRYPT_FAILED, () -> streams.deadLetters().redrive(List.of(letter.id()), away));

    assertThat(keyed.deadLetters().get(letter.id())).isPresent();
    assertThat(streams.admin().find(OTHER)).isEmpty();
  }

  @Test
  void a_duplicate_is_told_by_its_id_whatever_its_form() {
    keyed.configure(encrypting(QUEUE, true));
    Pushed first = keyed.push(List.of(secret("a").once("tx"))).get(0);

    Pushed again = keyed.push(List.of(secret("a").once("tx"))).get(0);

    assertThat(again.status()).isEqualTo(Pushed.Status.DUPLICATE);
    assertThat(again.messageId()).isEqualTo(first.messageId());
  }

  @Test
  @Guarantee("S106")
  void payloads_stay_readable_when_a_queue_is_made_anew_elsewhere() {
    UnreliableStreamStore store = new UnreliableStreamStore(subject.process());
    Streams there = over(store, OPTIONS.withEncryptionKey(KEY));
    keyed.configure(encrypting(QUEUE, true));
    there.push(List.of(secret("before")));
    store.deafen();

    keyed.delete(QUEUE);
    keyed.configure(encrypting(QUEUE, true));
    there.push(List.of(secret("attack at dawn")));

    assertThat(texts(take(keyed, 5))).containsExactly("attack at dawn");
  }

  @Test
  void a_key_that_is_none_is_refused() {
    failing(
        INVALID_ARGUMENT, () -> over(subject.process(), OPTIONS.withEncryptionKey("not a key")));
    failing(INVALID_ARGUMENT, () -> over(subject.process(), OPTIONS.withEncryptionKey(KEY + "00")));
  }
}
