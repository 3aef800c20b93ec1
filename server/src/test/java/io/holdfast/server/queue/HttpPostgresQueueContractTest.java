package io.holdfast.server.queue;

import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.queue.CallingOffContract;
import io.holdfast.testkit.queue.ConsumerContract;
import io.holdfast.testkit.queue.DeadQueueAdminContract;
import io.holdfast.testkit.queue.LeaseContract;
import io.holdfast.testkit.queue.LifecycleContract;
import io.holdfast.testkit.queue.LinearizableQueueContract;
import io.holdfast.testkit.queue.PartitionContract;
import io.holdfast.testkit.queue.ProduceContract;
import io.holdfast.testkit.queue.QueueAdminContract;
import io.holdfast.testkit.queue.QueuePauseContract;
import io.holdfast.testkit.queue.QueueRaceContract;
import io.holdfast.testkit.queue.QueueRequestValidationContract;
import io.holdfast.testkit.queue.QueueServiceContract;
import io.holdfast.testkit.queue.QueueSubject;
import io.holdfast.testkit.queue.QueueValidationContract;
import io.holdfast.testkit.queue.RepairContract;
import io.holdfast.testkit.queue.RetryContract;
import io.holdfast.testkit.queue.SettleContract;
import io.holdfast.testkit.queue.StorageContract;
import io.holdfast.testkit.queue.WakeContract;
import org.junit.jupiter.api.Nested;

/** Queues over HTTP keep every promise, with PostgreSQL behind the server. */
class HttpPostgresQueueContractTest {
  private static QueueSubject served(ManualTime time) {
    return HttpQueueSubject.postgres(time);
  }

  @Nested
  class Producing extends ProduceContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Leasing extends LeaseContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return HttpQueueSubject.listeningPostgres(time);
    }
  }

  @Nested
  class Waking extends WakeContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Settling extends SettleContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Retrying extends RetryContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Lifecycle extends LifecycleContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Races extends QueueRaceContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Linearizable extends LinearizableQueueContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Partitions extends PartitionContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class CallingOff extends CallingOffContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Queues extends QueueAdminContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class DeadQueues extends DeadQueueAdminContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Validation extends QueueValidationContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Requests extends QueueRequestValidationContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Storage extends StorageContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Repair extends RepairContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Pauses extends QueuePauseContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Service extends QueueServiceContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }

  @Nested
  class Consuming extends ConsumerContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return served(time);
    }
  }
}
