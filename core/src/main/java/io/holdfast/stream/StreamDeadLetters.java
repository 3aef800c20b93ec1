package io.holdfast.stream;

import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Store role: messages that their group gave up. Arguments have been checked. */
public interface StreamDeadLetters {
  /** A page, newest first. Payloads come as they are stored. */
  List<DeadLetter> list(DeadLetterQuery query, StoreCall call);

  /** How many the query finds on all pages. */
  long count(DeadLetterQuery query, StoreCall call);

  /** How many it finds in each partition that has some; in no order. */
  List<DeadLetters.Count> countByPartition(DeadLetterQuery query, StoreCall call);

  /** The one with this id. */
  Optional<DeadLetter> get(UUID id, StoreCall call);

  /** Deletes what the query finds, up to its limit; answers how many. */
  int purge(DeadLetterQuery query, StoreCall call);

  /**
   * Moves one back: it stops being a dead letter and becomes the last message of its partition, or
   * of another, in one transaction. Its transaction id is {@code redrive:} and the letter's id.
   *
   * @param isEncrypted of an edited payload: whether it is encrypted
   */
  Redriven redrive(UUID id, Redrive how, boolean isEncrypted, StoreCall call);
}
