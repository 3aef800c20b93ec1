package io.holdfast.postgres;

import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.JobBulkContract;
import io.holdfast.testkit.job.JobCancelContract;
import io.holdfast.testkit.job.JobCancelRequestContract;
import io.holdfast.testkit.job.JobClockChangeContract;
import io.holdfast.testkit.job.JobExplainContract;
import io.holdfast.testkit.job.JobLimitContract;
import io.holdfast.testkit.job.JobListContract;
import io.holdfast.testkit.job.JobProgressContract;
import io.holdfast.testkit.job.JobQueueContract;
import io.holdfast.testkit.job.JobRequeueContract;
import io.holdfast.testkit.job.JobRetentionContract;
import io.holdfast.testkit.job.JobScheduleContract;
import io.holdfast.testkit.job.JobSlotContract;
import io.holdfast.testkit.job.JobSubject;
import io.holdfast.testkit.job.JobTickContract;
import org.junit.jupiter.api.Nested;

/** PostgreSQL keeps what operators are promised. */
class PostgresJobAdminContractTest {
  @Nested
  class Cancelling extends JobCancelContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class CancelRequests extends JobCancelRequestContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Requeueing extends JobRequeueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Bulk extends JobBulkContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Lists extends JobListContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Retention extends JobRetentionContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Progress extends JobProgressContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Limits extends JobLimitContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class LimitSlots extends JobSlotContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Schedules extends JobScheduleContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Ticks extends JobTickContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class ClockChanges extends JobClockChangeContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Explaining extends JobExplainContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Queues extends JobQueueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }
}
