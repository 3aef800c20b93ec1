package io.holdfast.testkit.stream;

import io.holdfast.memory.MemoryStreamSubject;
import io.holdfast.testkit.ManualTime;
import org.junit.jupiter.api.Nested;

/** The memory store keeps what streams promise when something fails. */
class MemoryStreamFaultContractTest {
  @Nested
  class Faults extends StreamFaultContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Unrest extends StreamUnrestContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }
}
