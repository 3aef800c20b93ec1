package io.holdfast.testkit.beyond;

import io.holdfast.memory.MemorySubject;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
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

/** The memory store keeps the promises beyond plain locks. */
@Timeout(120)
class MemoryBeyondContractTest {
  @Nested
  class Renewing extends RenewingLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Lost extends LostLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class LostWork extends LostWorkContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Waiting extends WaitingLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Parked extends ParkedLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Fair extends FairWaitingContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Leased extends LeasedLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class LeasedWaiting extends LeasedLockWaitingContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }

  @Nested
  class Unknown extends UnknownOutcomeContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return new MemorySubject(time);
    }
  }
}
