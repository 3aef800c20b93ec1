package io.holdfast.testkit.queue;

import io.holdfast.memory.MemoryQueueSubject;
import io.holdfast.testkit.ManualTime;
import org.junit.jupiter.api.Nested;

/** The memory store keeps what queues promise to operators and as a service. */
class MemoryQueueAdminContractTest {
  @Nested
  class Queues extends QueueAdminContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class DeadQueues extends DeadQueueAdminContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Validation extends QueueValidationContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Requests extends QueueRequestValidationContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Storage extends StorageContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Repair extends RepairContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Pauses extends QueuePauseContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Service extends QueueServiceContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }

  @Nested
  class Linearizable extends LinearizableQueueContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return new MemoryQueueSubject(time);
    }
  }
}
