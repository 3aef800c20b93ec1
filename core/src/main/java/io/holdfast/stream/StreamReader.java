package io.holdfast.stream;

import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Store role: looking at messages. Payloads come as they are stored. Arguments are checked. */
public interface StreamReader {
  /** A page, newest first; fails if there is no such queue or partition. */
  List<StoredMessage> messages(MessageQuery query, StoreCall call);

  /** The message of this transaction id in a partition. */
  Optional<StoredMessage> message(UUID partitionId, String transactionId, StoreCall call);

  /** The messages of this transaction id in a queue, in any partition, oldest first. */
  List<StoredMessage> find(String queue, String transactionId, StoreCall call);

  /** The messages of a trace in all queues, oldest first, at most {@code limit}. */
  List<StoredMessage> byTrace(UUID traceId, int limit, StoreCall call);

  /** Deletes a message, which leaves a gap; false if there is none. */
  boolean delete(UUID partitionId, String transactionId, StoreCall call);

  /** Notes something about a message; empty if there is no such message. */
  Optional<Trace> record(UUID partitionId, String transactionId, Trace.Note note, StoreCall call);

  /** What was noted about a message, oldest first. */
  List<Trace> traces(UUID partitionId, String transactionId, StoreCall call);

  /** What was noted under a name, newest first, at most {@code limit}. */
  List<Trace> tracesNamed(String name, int limit, StoreCall call);

  /** The names that notes were made under, the one used last first, at most {@code limit}. */
  List<TraceName> traceNames(int limit, StoreCall call);
}
