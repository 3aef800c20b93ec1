package io.holdfast.server.lock;

import io.holdfast.postgres.ServedPostgres;
import io.holdfast.server.GoldenServer;
import io.holdfast.testkit.ManualTime;
import org.junit.jupiter.api.Nested;

/** Waiting for locks over HTTP, on both stores. */
class HttpLockWaitTest {
  @Nested
  class OnMemory extends HttpLockWaitContract {
    @Override
    protected GoldenServer server() {
      return new GoldenServer();
    }
  }

  @Nested
  @SuppressWarnings("NullAway.Init") // opened before each test
  class OnPostgres extends HttpLockWaitContract {
    private ServedPostgres served;

    @Override
    protected GoldenServer server() {
      ManualTime time = new ManualTime();
      served = new ServedPostgres(time);
      return GoldenServer.over(time, served.process());
    }

    @Override
    protected void end() {
      served.close();
    }
  }
}
