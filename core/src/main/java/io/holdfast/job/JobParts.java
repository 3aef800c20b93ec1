package io.holdfast.job;

import io.holdfast.lease.StoreCall;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks at jobs where they are stored, part by part and fact by fact; pages and explanations are
 * put together from these here, once for all stores.
 */
public interface JobParts extends JobReader {
  /**
   * Parts of a list, each in the order of one index. All jobs of a queue are in exactly one of the
   * first seven; {@code CANCELLED} and {@code SUCCEEDED} are halves of {@code FINISHED}.
   */
  enum Part {
    /** By expiry. */
    INFLIGHT,
    /** Without a due time, by rank: eligible since, less a minute per point of priority. */
    READY,
    /** With a due time that has come, by it. */
    DUE,
    /** With a due time ahead, by it. */
    SCHEDULED,
    /** By limit key, then by when they came to the gate. */
    GATED,
    /** By when they died. */
    DLQ,
    /** By when they ended; those of which that is not known come last. */
    FINISHED,
    /** Finished and not cancelled. */
    SUCCEEDED,
    CANCELLED
  }

  /**
   * Where a page ended.
   *
   * @param at the instant that the part is ordered by; null: not known, which comes last
   * @param key the limit key, where the part is ordered by it
   */
  record Position(@Nullable Instant at, @Nullable String key, String id) {}

  /**
   * A page of one part.
   *
   * @param type only of this type; null: of any
   * @param after behind this place; null: from the beginning
   */
  record Request(
      String queue, Part part, @Nullable String type, int limit, @Nullable Position after) {}

  /**
   * A page of one part, without payloads.
   *
   * @param next where to go on; null: the part ends here. With a type, or for a half of {@code
   *     FINISHED}, at most 10,000 rows are looked at, so a short page may have one
   */
  record Answer(List<Job> jobs, @Nullable Position next) {}

  /**
   * What is known about why a job stands where it stands.
   *
   * @param pausedAt since when its queue is paused
   * @param keyLimit how many of its limit key may run; null: no limit
   * @param keyHolders jobs in the slots of its limit key, at most 20
   * @param hasWorker whether a worker that was seen in the last minute serves its queue
   * @param knowsType whether one of those knows its type
   * @param ahead jobs that are eligible before it in its queue, counted to 1,000
   * @param at the database's clock
   */
  record Facts(
      Job job,
      @Nullable Instant pausedAt,
      @Nullable Integer keyLimit,
      List<String> keyHolders,
      boolean hasWorker,
      boolean knowsType,
      int ahead,
      Instant at) {}

  /** A page of one part. */
  Answer list(Request request, StoreCall call);

  /** What is to be said about a job. */
  Optional<Facts> facts(String id, StoreCall call);

  @Override
  default JobPage page(JobQuery query, StoreCall call) {
    return Lister.page(this, query, call);
  }

  @Override
  default Optional<Explanation> explain(String id, StoreCall call) {
    return facts(id, call).map(Explainer::explain);
  }
}
