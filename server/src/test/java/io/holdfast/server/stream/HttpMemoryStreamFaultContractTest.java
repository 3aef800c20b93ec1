package io.holdfast.server.stream;

import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.stream.StreamFaultContract;
import io.holdfast.testkit.stream.StreamSubject;
import io.holdfast.testkit.stream.StreamUnrestContract;
import org.junit.jupiter.api.Nested;

/** Streams through client and server, over memory, when something fails. */
class HttpMemoryStreamFaultContractTest {
  @Nested
  class Faults extends StreamFaultContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.memory(time);
    }
  }

  @Nested
  class Unrest extends StreamUnrestContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.memory(time);
    }
  }
}
