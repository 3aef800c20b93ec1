package io.holdfast.server.job;

import io.holdfast.server.NotOverHttp;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.JobBulkContract;
import io.holdfast.testkit.job.JobCancelContract;
import io.holdfast.testkit.job.JobCancelRequestContract;
import io.holdfast.testkit.job.JobClockChangeContract;
import io.holdfast.testkit.job.JobClosingContract;
import io.holdfast.testkit.job.JobConcurrencyContract;
import io.holdfast.testkit.job.JobContentContract;
import io.holdfast.testkit.job.JobDeliveryLimitContract;
import io.holdfast.testkit.job.JobDueContract;
import io.holdfast.testkit.job.JobEnqueueContract;
import io.holdfast.testkit.job.JobExplainContract;
import io.holdfast.testkit.job.JobFailContract;
import io.holdfast.testkit.job.JobKeyContract;
import io.holdfast.testkit.job.JobLeaseContract;
import io.holdfast.testkit.job.JobLimitContract;
import io.holdfast.testkit.job.JobListContract;
import io.holdfast.testkit.job.JobOrderContract;
import io.holdfast.testkit.job.JobProgressContract;
import io.holdfast.testkit.job.JobQueueContract;
import io.holdfast.testkit.job.JobRaceContract;
import io.holdfast.testkit.job.JobRequeueContract;
import io.holdfast.testkit.job.JobRetentionContract;
import io.holdfast.testkit.job.JobRetryContract;
import io.holdfast.testkit.job.JobScheduleContract;
import io.holdfast.testkit.job.JobSettleContract;
import io.holdfast.testkit.job.JobSettleValidationContract;
import io.holdfast.testkit.job.JobShareContract;
import io.holdfast.testkit.job.JobSlotContract;
import io.holdfast.testkit.job.JobSubject;
import io.holdfast.testkit.job.JobTerminalContract;
import io.holdfast.testkit.job.JobTextContract;
import io.holdfast.testkit.job.JobTickContract;
import io.holdfast.testkit.job.JobValidationContract;
import io.holdfast.testkit.job.JobWaitContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;

/** Jobs in PostgreSQL keep their promises over HTTP. */
@Timeout(120)
class HttpPostgresJobContractTest {
  @Nested
  @NotOverHttp(
      value = {"a_call_takes_10_000_jobs_and_neither_none_nor_more"},
      because = "over HTTP a call takes 1,000")
  class Validation extends JobValidationContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Text extends JobTextContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Closing extends JobClosingContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Enqueue extends JobEnqueueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Key extends JobKeyContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Due extends JobDueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Lease extends JobLeaseContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class DeliveryLimit extends JobDeliveryLimitContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Order extends JobOrderContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Share extends JobShareContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Settle extends JobSettleContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class SettleValidation extends JobSettleValidationContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Terminal extends JobTerminalContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Retry extends JobRetryContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Fail extends JobFailContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Content extends JobContentContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {"a_job_never_has_two_valid_leases_and_all_jobs_finish"},
      because = "it stores more than 1,000 jobs at once, which is more than one call may")
  class Concurrency extends JobConcurrencyContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {"a_reserve_that_begins_after_a_pause_gets_nothing"},
      because = "it stores more than 1,000 jobs at once, which is more than one call may")
  class Race extends JobRaceContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {"a_job_that_came_back_is_given_to_who_waits"},
      because =
          "the server sends a second hint within 50 ms by a timer, which nobody steps here; see"
              + " HttpJobWaitTest for a client that waits at the server")
  class Wait extends JobWaitContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Cancel extends JobCancelContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class CancelRequest extends JobCancelRequestContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Requeue extends JobRequeueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {"bulk_requeue_conserves_jobs"},
      because = "it stores more than 1,000 jobs at once, which is more than one call may")
  class Bulk extends JobBulkContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class List extends JobListContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {"a_round_removes_all_that_is_old_and_nothing_else"},
      because = "it stores more than 1,000 jobs at once, which is more than one call may")
  class Retention extends JobRetentionContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Progress extends JobProgressContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {"a_key_without_a_limit_lets_all_pass"},
      because = "it stores more than 1,000 jobs at once, which is more than one call may")
  class Limit extends JobLimitContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Slot extends JobSlotContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Schedule extends JobScheduleContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Tick extends JobTickContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class ClockChange extends JobClockChangeContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {"jobs_ahead_are_counted_to_a_thousand"},
      because = "it stores more than 1,000 jobs at once, which is more than one call may")
  class Explain extends JobExplainContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class Queue extends JobQueueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }
}
