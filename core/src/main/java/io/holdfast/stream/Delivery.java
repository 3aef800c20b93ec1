package io.holdfast.stream;

/**
 * A message in a consumer's hands.
 *
 * @param isEncrypted whether the store keeps its payload encrypted
 * @param attempt how often this message has been delivered to its group without progress, from 1
 */
public record Delivery(Message message, boolean isEncrypted, int attempt) {}
