package io.holdfast.server.job;

import io.holdfast.job.JobBackend;
import io.holdfast.memory.MemoryStore;
import io.holdfast.postgres.ServedPostgres;
import io.holdfast.testkit.ManualTime;
import org.junit.jupiter.api.Nested;

/** Waiting for jobs over HTTP, on both stores. */
class HttpJobWaitTest {
  @Nested
  class OnMemory extends HttpJobWaitContract {
    @Override
    protected JobBackend store() {
      return new MemoryStore().jobs();
    }
  }

  @Nested
  @SuppressWarnings("NullAway.Init") // opened before each test
  class OnPostgres extends HttpJobWaitContract {
    private ServedPostgres served;

    @Override
    protected JobBackend store() {
      served = new ServedPostgres(new ManualTime());
      return served.process().jobs();
    }

    @Override
    protected void end() {
      served.close();
    }
  }
}
