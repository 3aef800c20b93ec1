package io.holdfast.stream;

/** A push that did not fit entirely. Nothing was stored; room comes with acknowledgements. */
public final class QueueFullException extends StreamException {
  private static final long serialVersionUID = 1L;

  private final String queue;
  private final long depth;
  private final long maxSize;

  /** The queue is full: {@code depth} of {@code maxSize} messages wait in it. */
  public QueueFullException(String queue, long depth, long maxSize) {
    super(
        StreamError.QUEUE_FULL,
        "queue '" + queue + "' is full: " + depth + " of " + maxSize + " messages",
        null);
    this.queue = queue;
    this.depth = depth;
    this.maxSize = maxSize;
  }

  /** Which queue. */
  public String queue() {
    return queue;
  }

  /** Messages that the slowest active group has not passed. */
  public long depth() {
    return depth;
  }

  /** How many of them the queue takes. */
  public long maxSize() {
    return maxSize;
  }

  /** How many messages would have fitted. */
  public long remaining() {
    return Math.max(0, maxSize - depth);
  }
}
