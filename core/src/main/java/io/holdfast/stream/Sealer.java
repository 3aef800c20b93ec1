package io.holdfast.stream;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Puts payloads into the form their queue keeps them in, and back. Whether a queue encrypts is
 * remembered from the last answer about it; the store refuses what has the wrong form. Safe for use
 * by many threads.
 */
public final class Sealer {
  private final @Nullable PayloadCipher cipher;
  private final Function<String, Optional<StreamInfo>> remembered;
  private final Function<String, Optional<StreamInfo>> found;

  /**
   * With the key of these digits, or none.
   *
   * @param remembered a queue if something is known about it already
   * @param found a queue as it is now, if there is one
   */
  public Sealer(
      @Nullable String key,
      Function<String, Optional<StreamInfo>> remembered,
      Function<String, Optional<StreamInfo>> found) {
    this.cipher = PayloadCipher.of(key);
    this.remembered = remembered;
    this.found = found;
  }

  /** The messages as the store takes them; each has its partition by now. */
  public List<Entry> entries(List<NewMessage> messages, @Nullable String producer) {
    Map<String, Optional<UUID>> encrypting = new HashMap<>();
    List<Entry> entries = new ArrayList<>(messages.size());
    for (NewMessage message : messages) {
      Optional<UUID> uid = encrypting.computeIfAbsent(message.queue(), this::encrypting);
      String partition = message.partition();
      String id = message.transactionId();
      entries.add(
          new Entry(
              message.queue(),
              partition == null ? StreamRules.DEFAULT_PARTITION : partition,
              uid.map(u -> sealed(message.payload(), u)).orElse(message.payload()),
              uid.isPresent(),
              id == null || id.isEmpty() ? null : id,
              message.traceId(),
              producer));
    }
    return entries;
  }

  private Optional<UUID> encrypting(String queue) {
    Optional<UUID> uid = remembered.apply(queue).flatMap(Sealer::encrypting);
    // Without a key it cannot be done; so what is remembered had better be true.
    return uid.isPresent() && cipher == null ? found.apply(queue).flatMap(Sealer::encrypting) : uid;
  }

  private static Optional<UUID> encrypting(StreamInfo queue) {
    return Optional.of(queue)
        .filter(info -> info.settings().is(StreamOption.ENCRYPTION_ENABLED))
        .map(StreamInfo::uid);
  }

  /** The payload in an envelope for the queue of this uid. */
  Payload sealed(Payload payload, UUID queue) {
    if (cipher == null) {
      throw new StreamException(
          StreamError.ENCRYPTION_UNAVAILABLE, "there is no key to encrypt the payload with", null);
    }
    return cipher.seal(payload, queue);
  }

  /** The entry in the form that its queue wants now. */
  Entry reformed(StreamInfo queue, Entry entry) {
    boolean isWanted = queue.settings().is(StreamOption.ENCRYPTION_ENABLED);
    if (isWanted == entry.isEncrypted()) {
      return entry;
    }
    Payload plain = opened(entry.queue(), entry.payload(), entry.isEncrypted());
    plain.unwrap(); // fails if it cannot be read: stored like this it would be lost
    return new Entry(
        entry.queue(),
        entry.partition(),
        isWanted ? sealed(plain, queue.uid()) : plain,
        isWanted,
        entry.transactionId(),
        entry.traceId(),
        entry.producer());
  }

  /** The payload of a stored message as it was pushed. */
  Payload opened(String queue, Payload payload, boolean isEncrypted) {
    if (!isEncrypted) {
      return payload;
    }
    if (cipher == null) {
      return PayloadCipher.unreadable("is encrypted and there is no key", null);
    }
    Payload opened =
        remembered
            .apply(queue)
            .map(info -> cipher.open(payload, info.uid()))
            .orElseGet(() -> PayloadCipher.unreadable("belongs to an unknown queue", null));
    if (opened.isReadable()) {
      return opened;
    }
    // The queue may have been made anew, or we know nothing of it yet.
    return found.apply(queue).map(info -> cipher.open(payload, info.uid())).orElse(opened);
  }

  /** What was popped, as it was pushed. */
  public Popped opened(Popped popped) {
    boolean isPlain =
        popped.batches().stream()
            .flatMap(batch -> batch.deliveries().stream())
            .noneMatch(Delivery::isEncrypted);
    return isPlain
        ? popped
        : new Popped(
            popped.queue(),
            popped.group(),
            popped.batches().stream().map(this::opened).toList(),
            popped.claimedNanos());
  }

  private Batch opened(Batch batch) {
    return new Batch(
        batch.partition(),
        batch.partitionId(),
        batch.lease(),
        batch.deliveries().stream().map(this::opened).toList());
  }

  private Delivery opened(Delivery delivery) {
    Message message = delivery.message();
    Payload payload = opened(message.place().queue(), message.payload(), delivery.isEncrypted());
    return new Delivery(message.with(payload), delivery.isEncrypted(), delivery.attempt());
  }

  StoredMessage opened(StoredMessage stored) {
    Message message = stored.message();
    return stored.with(opened(message.place().queue(), message.payload(), stored.isEncrypted()));
  }

  DeadLetter opened(DeadLetter letter) {
    Message message = letter.message();
    return letter.with(opened(message.place().queue(), message.payload(), letter.isEncrypted()));
  }
}
