package io.holdfast.testkit.stream;

import io.holdfast.memory.MemoryStreamSubject;
import io.holdfast.testkit.ManualTime;
import org.junit.jupiter.api.Nested;

/** The memory store keeps every promise that streams make. */
class MemoryStreamContractTest {
  @Nested
  class Figures extends StreamFiguresContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class CallingOff extends StreamCallingOffContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Pushing extends StreamPushContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Capacity extends StreamCapacityContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Popping extends StreamPopContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Timing extends StreamTimingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Settling extends StreamAckContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Fencing extends StreamFencingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Retrying extends StreamRetryContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Validation extends StreamValidationContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Concurrency extends StreamConcurrencyContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }
}
