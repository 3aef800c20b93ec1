package io.holdfast.testkit.job;

import io.holdfast.memory.MemoryJobSubject;
import io.holdfast.testkit.ManualTime;
import org.junit.jupiter.api.Nested;

/** The memory store keeps every promise that jobs make. */
class MemoryJobContractTest {
  @Nested
  class Validation extends JobValidationContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Texts extends JobTextContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Closing extends JobClosingContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Enqueueing extends JobEnqueueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Keys extends JobKeyContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Due extends JobDueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Leases extends JobLeaseContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class DeliveryLimit extends JobDeliveryLimitContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Order extends JobOrderContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Shares extends JobShareContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Settling extends JobSettleContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class SettleValidation extends JobSettleValidationContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Terminal extends JobTerminalContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Retrying extends JobRetryContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Failing extends JobFailContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Content extends JobContentContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Concurrency extends JobConcurrencyContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Races extends JobRaceContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Waiting extends JobWaitContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }
}
