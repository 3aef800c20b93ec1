package io.holdfast.stream;

import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Store role: what is appended. Arguments have been checked. */
public interface StreamLog {
  /**
   * Appends all or nothing, and makes queues and partitions that are missing. Fails with {@code
   * PAUSED}, or as a {@link QueueFullException}; neither stores a message.
   */
  PushAnswer push(List<Entry> entries, StoreCall call);

  /**
   * Appends and settles in one transaction. All verdicts about one partition count as one call. A
   * refused one undoes everything; a duplicate does not. An ack without a lease is good for a
   * partition held under one of {@code required}.
   */
  TransactAnswer transact(List<Entry> entries, List<Ack> acks, Set<UUID> required, StoreCall call);

  /** What became of a push. */
  sealed interface PushAnswer extends TransactAnswer {}

  /** What became of a transaction. */
  sealed interface TransactAnswer {}

  /** Stored, or known already; in the order of the entries. */
  record Appended(List<Pushed> pushed) implements PushAnswer {}

  /**
   * Nothing was stored, because this queue wants its entries encrypted and they are not, or the
   * other way round; or they were sealed for a queue that had its name before.
   */
  record WrongForm(StreamInfo queue) implements PushAnswer {}

  /** Nothing was stored, because pushes to this queue are held: they have to be put by. */
  record Holding(String queue) implements PushAnswer {}

  /** Committed, or refused and undone. */
  record Settled(Transacted transacted) implements TransactAnswer {}
}
