package io.holdfast.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.ServerOptions;
import io.holdfast.stream.StreamStore;
import io.holdfast.testkit.stream.FaultyStreamStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A server that completes what a consumer leaves unsaid. */
class StreamImplicitAckWireTest extends StreamWire {
  private FaultyStreamStore store;

  @Override
  protected StreamStore served(StreamStore memory) {
    store = new FaultyStreamStore(memory);
    return store;
  }

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

  @Test
  void so_does_the_last_ack_of_a_transaction() {
    push("q", "p", "1", "t1");
    push("q", "p", "2", "t2");
    Answer popped = pop("q", "batch=2");
    Answer transacted =
        post(
            "/api/v1/transaction",
            ("{'operations':[{'type':'ack','transactionId':'t2','partitionId':'%s'},"
                    + "{'type':'push','items':[{'queue':'q','partition':'p','payload':3}]}],"
                    + "'requiredLeases':['%s']}")
                .formatted(popped.text("/partitionId"), popped.text("/leaseId")));
    assertThat(transacted.text("/success")).isEqualTo("true");
    assertThat(pop("q", "batch=9").text("/messages/0/data")).isEqualTo("3");
  }

  @Test
  void
      a_transaction_that_is_committed_is_told_so_although_the_earlier_ones_could_not_be_completed() {
    push("q", "p", "1", "t1");
    push("q", "p", "2", "t2");
    Answer popped = pop("q", "batch=2");
    store.failNext("ack");

    Answer transacted =
        post(
            "/api/v1/transaction",
            ("{'operations':[{'type':'ack','transactionId':'t2','partitionId':'%s'}],"
                    + "'requiredLeases':['%s']}")
                .formatted(popped.text("/partitionId"), popped.text("/leaseId")));

    assertThat(transacted.text("/success")).isEqualTo("true");
    assertThat(store.calls("ack")).isEqualTo(1);
    time.advance(Duration.ofHours(1));
    Answer again = pop("q", "batch=9");
    assertThat(again.json().at("/messages")).hasSize(1);
    assertThat(again.text("/messages/0/transactionId")).isEqualTo("t1");
  }

  @Test
  void so_does_the_last_ack_before_a_pop() {
    for (int i = 1; i <= 3; i++) {
      push("q", "p", String.valueOf(i), "t" + i);
    }
    Answer popped = pop("q", "batch=2");
    Answer both =
        post(
            "/api/v1/ack-pop",
            ("{'ack':{'acknowledgments':[{'transactionId':'t2','partitionId':'%s','leaseId':'%s'}]},"
                    + "'pop':{'queue':'q','batch':9}}")
                .formatted(popped.text("/partitionId"), popped.text("/leaseId")));
    assertThat(both.text("/ack/0/success")).isEqualTo("true");
    assertThat(both.json().at("/pop/messages")).hasSize(1);
    assertThat(both.text("/pop/messages/0/transactionId")).isEqualTo("t3");
  }
}
