package io.holdfast.server.job;

import io.holdfast.server.NotOverHttp;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.JobSubject;
import io.holdfast.testkit.job.JobWorkerCancelContract;
import io.holdfast.testkit.job.JobWorkerContextContract;
import io.holdfast.testkit.job.JobWorkerContract;
import io.holdfast.testkit.job.JobWorkerFaultContract;
import io.holdfast.testkit.job.JobWorkerInterruptContract;
import io.holdfast.testkit.job.JobWorkerLeaseContract;
import io.holdfast.testkit.job.JobWorkerPlacesContract;
import io.holdfast.testkit.job.JobWorkerQueuesContract;
import io.holdfast.testkit.job.JobWorkerRetryContract;
import io.holdfast.testkit.job.JobWorkerStopContract;
import io.holdfast.testkit.job.JobWorkerThreadsContract;
import io.holdfast.testkit.job.JobWorkerTimeoutContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;

/** A remote worker over HTTP has the same guarantees, on PostgreSQL. */
@Timeout(120)
class HttpPostgresJobWorkerTest {
  @Nested
  class Worker extends JobWorkerContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class WorkerPlaces extends JobWorkerPlacesContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {
        "a_heartbeat_renews_a_thousand_jobs_at_most",
        "one_heartbeat_statement_serves_all_jobs"
      },
      because =
          "the first stores more than 1,000 jobs at once, which is more than one call may; the second"
              + " counts beats, and one more comes when hints of the store begin to be heard")
  class WorkerLease extends JobWorkerLeaseContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class WorkerFault extends JobWorkerFaultContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class WorkerRetry extends JobWorkerRetryContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class WorkerTimeout extends JobWorkerTimeoutContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class WorkerQueues extends JobWorkerQueuesContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class WorkerContext extends JobWorkerContextContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class WorkerThreads extends JobWorkerThreadsContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class WorkerStop extends JobWorkerStopContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class WorkerCancel extends JobWorkerCancelContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }

  @Nested
  class WorkerInterrupt extends JobWorkerInterruptContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return HttpJobSubject.postgres(time);
    }
  }
}
