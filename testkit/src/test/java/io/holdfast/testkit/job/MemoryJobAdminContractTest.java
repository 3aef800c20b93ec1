package io.holdfast.testkit.job;

import io.holdfast.memory.MemoryJobSubject;
import io.holdfast.testkit.ManualTime;
import org.junit.jupiter.api.Nested;

/** The memory store keeps what operators are promised. */
class MemoryJobAdminContractTest {
  @Nested
  class Cancelling extends JobCancelContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class CancelRequests extends JobCancelRequestContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Requeueing extends JobRequeueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Bulk extends JobBulkContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Lists extends JobListContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Retention extends JobRetentionContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Progress extends JobProgressContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Limits extends JobLimitContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class LimitSlots extends JobSlotContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Schedules extends JobScheduleContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Ticks extends JobTickContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class ClockChanges extends JobClockChangeContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Explaining extends JobExplainContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }

  @Nested
  class Queues extends JobQueueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new MemoryJobSubject(time);
    }
  }
}
