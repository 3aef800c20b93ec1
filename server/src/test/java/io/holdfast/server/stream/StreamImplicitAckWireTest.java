package io.holdfast.server.stream;

import io.holdfast.server.ServerOptions;
import org.junit.jupiter.api.Test;

/** A server that completes what a consumer leaves unsaid. */
class StreamImplicitAckWireTest extends StreamWire {
  @Override
  protected ServerOptions options() {
    return super.options().implicitAck(true);
  }

  @Test
  void the_last_ack_completes_the_batch() {
    push("q", "p", "1", "t1");
    push("q", "p", "2", "t2");
    Answer popped = pop("q", "batch=2");
    post(
        "/api/v1/ack",
        "{'transactionId':'t2','partitionId':'%s','leaseId':'%s'}"
            .formatted(popped.text("/partitionId"), popped.text("/leaseId")));
    pop("q", "").isEmpty();
  }
}
