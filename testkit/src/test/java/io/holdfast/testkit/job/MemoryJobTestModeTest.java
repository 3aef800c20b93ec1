package io.holdfast.testkit.job;

import io.holdfast.memory.MemoryJobSubject;
import io.holdfast.testkit.ManualTime;

/** The modes for tests, in memory. */
class MemoryJobTestModeTest extends JobTestModeContract {
  @Override
  protected JobSubject subject(ManualTime time) {
    return new MemoryJobSubject(time);
  }
}
