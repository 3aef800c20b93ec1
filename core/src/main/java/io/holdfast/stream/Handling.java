package io.holdfast.stream;

import java.util.List;
import java.util.UUID;

/** A message that is being handled. Used by the handler's thread. */
public interface Handling {
  /** The message. */
  Message message();

  /** How often it has been delivered, from 1. */
  int attempt();

  /** The lease of its partition. */
  UUID leaseId();

  /** A number that only grows, for whoever must refuse a stale holder. */
  long fence();

  /** Whether the lease can still be relied on. */
  boolean isHeld();

  /** The verdict that completes this message, for a transaction of the handler's own. */
  Ack completed();

  /**
   * Says that the handler settled the message itself, in a transaction of its own; nothing is
   * acknowledged for it when the handler returns.
   */
  void settled();

  /** Pushes messages, with this message's trace unless they have one. */
  List<Pushed> push(List<NewMessage> messages);
}
