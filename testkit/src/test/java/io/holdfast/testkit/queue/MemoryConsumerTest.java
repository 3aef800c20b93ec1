package io.holdfast.testkit.queue;

import io.holdfast.memory.MemoryQueueSubject;
import io.holdfast.testkit.ManualTime;

class MemoryConsumerTest extends ConsumerContract {
  @Override
  protected QueueSubject subject(ManualTime time) {
    return new MemoryQueueSubject(time);
  }
}
