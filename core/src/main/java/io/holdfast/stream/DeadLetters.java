package io.holdfast.stream;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Messages that their group gave up. Safe for use by many threads. */
public interface DeadLetters {
  /**
   * A page, newest first. Large ones make it short (16 MiB of payloads, at least one letter): the
   * end is where a page is empty.
   */
  List<DeadLetter> list(DeadLetterQuery query);

  /** How many the query finds on all pages. */
  long count(DeadLetterQuery query);

  /** How many it finds in each partition that has some. */
  List<Count> countByPartition(DeadLetterQuery query);

  /** How many a partition has. */
  record Count(String queue, String partition, long letters) {}

  /** The one with this id. */
  Optional<DeadLetter> get(UUID id);

  /** Deletes what the query finds, at most 10 000 of them; answers how many. */
  int purge(DeadLetterQuery query);

  /** Moves some back, each by itself, at most 1 000; answers in order. */
  List<Redriven> redrive(List<UUID> ids, Redrive how);

  /** Moves back what the query finds, at most 1 000. */
  List<Redriven> redrive(DeadLetterQuery query, Redrive how);
}
