package io.holdfast.postgres;

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

/** Workers over PostgreSQL keep every promise that workers make. */
class PostgresJobWorkerTest {
  @Nested
  class Running extends JobWorkerContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Places extends JobWorkerPlacesContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Leases extends JobWorkerLeaseContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return PostgresJobSubject.listening(time);
    }
  }

  @Nested
  class Faults extends JobWorkerFaultContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Retries extends JobWorkerRetryContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Timeouts extends JobWorkerTimeoutContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Queues extends JobWorkerQueuesContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Contexts extends JobWorkerContextContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Threads extends JobWorkerThreadsContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Stopping extends JobWorkerStopContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Cancelling extends JobWorkerCancelContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return PostgresJobSubject.listening(time);
    }
  }

  @Nested
  class Interrupts extends JobWorkerInterruptContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }
}
