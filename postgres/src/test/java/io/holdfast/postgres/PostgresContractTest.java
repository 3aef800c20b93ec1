package io.holdfast.postgres;

import io.holdfast.testkit.ManualTime;
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
import io.holdfast.testkit.lock.beyond.FairWaitingContract;
import io.holdfast.testkit.lock.beyond.LeasedLockContract;
import io.holdfast.testkit.lock.beyond.LeasedLockWaitingContract;
import io.holdfast.testkit.lock.beyond.LostLockContract;
import io.holdfast.testkit.lock.beyond.LostWorkContract;
import io.holdfast.testkit.lock.beyond.ParkedLockContract;
import io.holdfast.testkit.lock.beyond.RenewingLockContract;
import io.holdfast.testkit.lock.beyond.UnknownOutcomeContract;
import io.holdfast.testkit.lock.beyond.WaitingLockContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;

/** The PostgreSQL store keeps every promise that locks make. */
@Timeout(120)
class PostgresContractTest {
  @Nested
  class Grants extends LockGrantContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Expiry extends LockExpiryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Lookups extends LockLookupContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Validation extends LockValidationContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Cancellation extends LockCancellationContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Failing extends LockFailureContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class WithLock extends WithLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Retries extends LockRetryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Losses extends LockLossContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Handles extends LockHandleContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Telemetry extends LockTelemetryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Concurrency extends LockConcurrencyContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Operators extends LockOperatorContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Renewing extends RenewingLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Lost extends LostLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class LostWork extends LostWorkContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Waiting extends WaitingLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Parked extends ParkedLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Fair extends FairWaitingContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class Leased extends LeasedLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class LeasedWaiting extends LeasedLockWaitingContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }

  @Nested
  class UnknownOutcomes extends UnknownOutcomeContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return TestDatabase.listening(time);
    }
  }
}
