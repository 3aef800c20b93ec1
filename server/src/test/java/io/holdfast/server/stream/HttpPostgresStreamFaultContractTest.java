package io.holdfast.server.stream;

import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.stream.StreamFaultContract;
import io.holdfast.testkit.stream.StreamSubject;
import io.holdfast.testkit.stream.StreamUnrestContract;
import org.junit.jupiter.api.Nested;

/** Streams through client and server, over PostgreSQL, when something fails. */
class HttpPostgresStreamFaultContractTest {
  @Nested
  class Faults extends StreamFaultContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Unrest extends StreamUnrestContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }
}
