package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Ack;
import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Message;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Redriven;
import io.holdfast.stream.StreamStore;
import io.holdfast.stream.Verdict;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One of two stores that are asked the same. Ids differ between stores, so they have names: a
 * message is called after its place, everything else by when it was first seen. Answers that agree
 * give the same names on both sides, and every id a store ever gave out keeps its name.
 */
final class DifferentialStreamSide {
  static final StoreCall CALL = StoreCall.plain();
  private static final int ALL = 10_000;
  private static final Pattern ID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  private static final Pattern NAME = Pattern.compile("<[^<>]+>");

  final StreamStore store;
  private final Map<UUID, String> nameOfId = new HashMap<>();
  private final Map<String, UUID> idOfName = new HashMap<>();
  private final Map<String, Integer> counts = new HashMap<>();

  /** A verdict with names for ids. */
  record Said(
      String partition,
      String group,
      @Nullable String lease,
      long offset,
      @Nullable String transaction,
      Verdict verdict,
      @Nullable String error) {}

  DifferentialStreamSide(StreamStore store) {
    this.store = store;
  }

  /** The name of an id; one that is seen for the first time gets the next. */
  String name(UUID id) {
    return named(id, "id");
  }

  boolean isNamed(UUID id) {
    return nameOfId.containsKey(id);
  }

  private String named(UUID id, String what) {
    String known = nameOfId.get(id);
    if (known != null) {
      return known;
    }
    String name = "<" + what + "#" + counts.merge(what, 1, Integer::sum) + ">";
    nameOfId.put(id, name);
    idOfName.put(name, id);
    return name;
  }

  /**
   * The id of that name; a name that nobody has stands for an id that nobody gave out, and one that
   * ends with {@code ~} for a forged one.
   */
  UUID id(String name) {
    if (name.endsWith("~")) {
      UUID real = id(name.substring(0, name.length() - 1));
      return new UUID(real.getMostSignificantBits(), real.getLeastSignificantBits() ^ 1);
    }
    return idOfName.computeIfAbsent(name, unknown -> new UUID(0x8000L, 0x8000_0000_0000_0000L));
  }

  /** A text with ids in place of names. */
  String text(String plain) {
    return NAME.matcher(plain)
        .replaceAll(name -> Matcher.quoteReplacement(id(name.group()).toString()));
  }

  /** A text with names in place of ids. */
  String plainText(String text) {
    return ID.matcher(text)
        .replaceAll(id -> Matcher.quoteReplacement(name(UUID.fromString(id.group()))));
  }

  /** Everything that an answer says, with names in place of ids. */
  String plain(@Nullable Object answer) {
    return new DifferentialStreamText(this).of(answer);
  }

  void learn(Object seen) {
    if (seen instanceof Message message) {
      named(
          message.place().partitionId(),
          message.place().queue() + "/" + message.place().partition());
      at(message.id(), message.place().partitionId(), message.place().offset());
    } else if (seen instanceof Pushed pushed) {
      at(pushed.messageId(), pushed.partitionId(), pushed.offset());
    } else if (seen instanceof CursorInfo cursor) {
      named(cursor.partitionId(), cursor.key().queue() + "/" + cursor.key().partition());
    } else if (seen instanceof Redriven redriven && redriven.messageId() != null) {
      named(redriven.messageId(), "again " + inner(name(redriven.deadLetterId())));
    }
  }

  private void at(UUID id, UUID partition, long offset) {
    named(id, inner(name(partition)) + ":" + offset);
  }

  private static String inner(String name) {
    return name.substring(1, name.length() - 1);
  }

  /** All dead letters. New ones get names by what they say: their order is that of chance. */
  List<DeadLetter> dead() {
    List<DeadLetter> letters = store.deadLetters().list(DeadLetterQuery.of(null).limit(ALL), CALL);
    letters.forEach(letter -> learn(letter.message()));
    letters.stream()
        .filter(letter -> !nameOfId.containsKey(letter.id()))
        .sorted(Comparator.comparing(this::content))
        .forEach(letter -> named(letter.id(), "dead"));
    return letters;
  }

  private String content(DeadLetter letter) {
    return letter.group()
        + plain(letter.message())
        + letter.isEncrypted()
        + plain(letter.failure());
  }

  Ack ack(Said said) {
    String transaction = said.transaction();
    return new Ack(
        id(said.partition()),
        said.group(),
        said.lease() == null ? null : id(said.lease()),
        transaction == null
            ? Ack.Target.offset(said.offset())
            : Ack.Target.transaction(text(transaction)),
        said.verdict(),
        said.error());
  }

  List<Ack> acks(List<Said> said) {
    return said.stream().map(this::ack).toList();
  }
}
