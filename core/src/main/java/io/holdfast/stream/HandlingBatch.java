package io.holdfast.stream;

import java.util.List;
import java.util.UUID;

/** The messages of one partition that are being handled together. Used by the handler's thread. */
public interface HandlingBatch {
  /** The messages, in order. */
  List<Message> messages();

  /** The lease of the partition. */
  UUID leaseId();

  /** A number that only grows, for whoever must refuse a stale holder. */
  long fence();

  /** Whether the lease can still be relied on. */
  boolean isHeld();

  /** The verdicts that complete all of it, for a transaction of the handler's own. */
  List<Ack> completed();

  /** Says that the handler settled the batch itself, in a transaction of its own. */
  void settled();
}
