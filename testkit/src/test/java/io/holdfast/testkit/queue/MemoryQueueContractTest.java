package io.holdfast.testkit.queue;

import io.holdfast.memory.MemoryQueueSubject;
import io.holdfast.testkit.ManualTime;
import org.junit.jupiter.api.Nested;

/** The memory store keeps every promise that queues make. */
class MemoryQueueContractTest {
  @Nested
  class Producing extends ProduceContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Leasing extends LeaseContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Waking extends WakeContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Settling extends SettleContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Retrying extends RetryContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Lifecycle extends LifecycleContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Races extends QueueRaceContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Partitions extends PartitionContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class CallingOff extends CallingOffContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }
}
