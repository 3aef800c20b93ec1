package io.holdfast.postgres;

import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.JobClosingContract;
import io.holdfast.testkit.job.JobConcurrencyContract;
import io.holdfast.testkit.job.JobContentContract;
import io.holdfast.testkit.job.JobDeliveryLimitContract;
import io.holdfast.testkit.job.JobDueContract;
import io.holdfast.testkit.job.JobEnqueueContract;
import io.holdfast.testkit.job.JobFailContract;
import io.holdfast.testkit.job.JobKeyContract;
import io.holdfast.testkit.job.JobLeaseContract;
import io.holdfast.testkit.job.JobOrderContract;
import io.holdfast.testkit.job.JobRaceContract;
import io.holdfast.testkit.job.JobRetryContract;
import io.holdfast.testkit.job.JobSettleContract;
import io.holdfast.testkit.job.JobSettleValidationContract;
import io.holdfast.testkit.job.JobShareContract;
import io.holdfast.testkit.job.JobSubject;
import io.holdfast.testkit.job.JobTerminalContract;
import io.holdfast.testkit.job.JobTextContract;
import io.holdfast.testkit.job.JobValidationContract;
import io.holdfast.testkit.job.JobWaitContract;
import org.junit.jupiter.api.Nested;

/** PostgreSQL keeps every promise that jobs make. */
class PostgresJobContractTest {
  @Nested
  class Validation extends JobValidationContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Texts extends JobTextContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Closing extends JobClosingContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Enqueueing extends JobEnqueueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Keys extends JobKeyContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Due extends JobDueContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Leases extends JobLeaseContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class DeliveryLimit extends JobDeliveryLimitContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Order extends JobOrderContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Shares extends JobShareContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Settling extends JobSettleContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class SettleValidation extends JobSettleValidationContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Terminal extends JobTerminalContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Retrying extends JobRetryContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Failing extends JobFailContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Content extends JobContentContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Concurrency extends JobConcurrencyContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Races extends JobRaceContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }

  @Nested
  class Waiting extends JobWaitContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return new PostgresJobSubject(time);
    }
  }
}
