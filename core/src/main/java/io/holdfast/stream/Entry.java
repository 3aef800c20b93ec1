package io.holdfast.stream;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way into a store: checked, with a partition, and encrypted if need be.
 *
 * @param transactionId null: the text of the id it will get
 * @param producer the authenticated name under which it is pushed
 */
public record Entry(
    String queue,
    String partition,
    Payload payload,
    boolean isEncrypted,
    @Nullable String transactionId,
    @Nullable UUID traceId,
    @Nullable String producer) {}
