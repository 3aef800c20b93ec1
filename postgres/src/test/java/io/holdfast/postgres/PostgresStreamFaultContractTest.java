package io.holdfast.postgres;

import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.stream.StreamFaultContract;
import io.holdfast.testkit.stream.StreamSubject;
import io.holdfast.testkit.stream.StreamUnrestContract;
import org.junit.jupiter.api.Nested;

/** The PostgreSQL store keeps what streams promise when something fails. */
class PostgresStreamFaultContractTest {
  @Nested
  class Faults extends StreamFaultContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Unrest extends StreamUnrestContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }
}
