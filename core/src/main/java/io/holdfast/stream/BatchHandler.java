package io.holdfast.stream;

/** What is done with each batch of a partition. */
@FunctionalInterface
public interface BatchHandler {
  /** As {@link MessageHandler#handle}, for all messages of a partition's batch together. */
  void handle(HandlingBatch batch) throws Exception;
}
