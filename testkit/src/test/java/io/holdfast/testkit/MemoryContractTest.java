package io.holdfast.testkit;

import io.holdfast.memory.MemorySubject;
import io.holdfast.testkit.lock.LockCancellationContract;
import io.holdfast.testkit.lock.LockConcurrencyContract;
import io.holdfast.testkit.lock.LockExpiryContract;
import io.holdfast.testkit.lock.LockFailureContract;
import io.holdfast.testkit.lock.LockGrantContract;
import io.holdfast.testkit.lock.LockHandleContract;
import io.holdfast.testkit.lock.LockLookupContract;
import io.holdfast.testkit.lock.LockLossContract;
import io.holdfast.testkit.lock.LockOperatorContract;
import io.holdfast.testkit.lock.LockRetryContract;
import io.holdfast.testkit.lock.LockSubject;
import io.holdfast.testkit.lock.LockTelemetryContract;
import io.holdfast.testkit.lock.LockValidationContract;
import io.holdfast.testkit.lock.WithLockContract;
import org.junit.jupiter.api.Nested;

/** The memory store keeps every promise that locks make. */
class MemoryContractTest {
  @Nested
  class Grants extends LockGrantContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Expiry extends LockExpiryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Lookups extends LockLookupContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Validation extends LockValidationContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Cancellation extends LockCancellationContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Failures extends LockFailureContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class WithLock extends WithLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Losses extends LockLossContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Retries extends LockRetryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Handles extends LockHandleContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Telemetry extends LockTelemetryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Concurrency extends LockConcurrencyContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Operators extends LockOperatorContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }
}
