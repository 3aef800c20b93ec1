package io.holdfast.stream;

import java.util.Map;

/**
 * A message and what it is to each group of its queue.
 *
 * @param isEncrypted whether the store keeps its payload encrypted
 */
public record StoredMessage(
    Message message, boolean isEncrypted, Map<String, MessageStatus> status) {
  /** The same with another payload. */
  StoredMessage with(Payload payload) {
    return new StoredMessage(message.with(payload), isEncrypted, status);
  }
}
