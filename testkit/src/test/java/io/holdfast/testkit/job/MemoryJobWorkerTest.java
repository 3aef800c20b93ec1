package io.holdfast.testkit.job;

import io.holdfast.memory.MemoryJobSubject;
import io.holdfast.testkit.ManualTime;
import org.junit.jupiter.api.Nested;

/** Workers over the memory store keep every promise that workers make. */
class MemoryJobWorkerTest {
  @Nested
  class Running extends JobWorkerContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Places extends JobWorkerPlacesContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Leases extends JobWorkerLeaseContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Faults extends JobWorkerFaultContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Retries extends JobWorkerRetryContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Timeouts extends JobWorkerTimeoutContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Queues extends JobWorkerQueuesContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Contexts extends JobWorkerContextContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Threads extends JobWorkerThreadsContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Stopping extends JobWorkerStopContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Cancelling extends JobWorkerCancelContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Interrupts extends JobWorkerInterruptContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }
}
