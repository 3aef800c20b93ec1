package io.holdfast.queue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An item to produce. One with an {@code enqueueAt} at least 100 ms ahead is scheduled: nobody can
 * lease it before that moment.
 */
public record NewItem(Content content, @Nullable Instant enqueueAt) {
  /** An item of bytes. */
  public static NewItem of(byte[] payload) {
    return new NewItem(Content.of(payload), null);
  }

  /** An item of text, stored as UTF-8. */
  public static NewItem text(String payload) {
    return of(payload.getBytes(StandardCharsets.UTF_8));
  }

  /** The same with a reference, such as the id of a customer. */
  public NewItem withReference(String value) {
    return new NewItem(
        new Content(content.payload(), value, content.encoding(), content.kind()), enqueueAt);
  }

  /** The same with the name of the payload's encoding. */
  public NewItem withEncoding(String value) {
    return new NewItem(
        new Content(content.payload(), content.reference(), value, content.kind()), enqueueAt);
  }

  /** The same with a kind, by which a consumer tells what to do. */
  public NewItem withKind(String value) {
    return new NewItem(
        new Content(content.payload(), content.reference(), content.encoding(), value), enqueueAt);
  }

  /** The same, not to be leased before {@code at}. */
  public NewItem at(Instant at) {
    return new NewItem(content, at);
  }
}
