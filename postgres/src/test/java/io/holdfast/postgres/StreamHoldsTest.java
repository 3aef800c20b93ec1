package io.holdfast.postgres;

import static io.holdfast.postgres.StreamFixture.CALL;
import static io.holdfast.postgres.StreamFixture.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is put by comes back in steps that fit into memory. */
class StreamHoldsTest {
  private final StreamFixture streams = StreamFixture.real();
  private final PostgresStreamHolds holds = new PostgresStreamHolds(streams.kernel);

  @AfterEach
  void close() {
    streams.close();
  }

  @Test
  void large_messages_are_stored_few_at_a_time() {
    streams.push("p", "first");
    holds.begin("q", CALL);
    String large = "x".repeat(4_000_000);
    for (int i = 0; i < 5; i++) {
      holds.hold(List.of(entry("q", "p", large)), CALL);
    }
    holds.end("q", CALL);

    assertThat(holds.drain((queue, held) -> held, CALL).messages()).isEqualTo(4);
    assertThat(holds.drain((queue, held) -> held, CALL).messages()).isEqualTo(1);
    assertThat(holds.count("q", CALL)).isZero();
  }
}
