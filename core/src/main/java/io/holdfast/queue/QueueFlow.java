package io.holdfast.queue;

/**
 * How many items went through a queue by calls of this process, since it first used the queue.
 *
 * @param produced items appended
 * @param leased items handed out, the same one every time
 * @param completed items that were dealt with
 * @param retried items given back for another try, or to the dead queue
 */
public record QueueFlow(long produced, long leased, long completed, long retried) {
  /** Nothing did, or nobody counts. */
  public static final QueueFlow NONE = new QueueFlow(0, 0, 0, 0);
}
