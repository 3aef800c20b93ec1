package io.holdfast.postgres;

import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.queue.LeaseContract;
import io.holdfast.testkit.queue.ProduceContract;
import io.holdfast.testkit.queue.QueueSubject;
import io.holdfast.testkit.queue.SettleContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The hot paths of queues through a PgBouncer in transaction mode: no statement may rely on the
 * session it meets.
 */
@EnabledIf(
    value = "io.holdfast.postgres.PgBouncer#isInstalled",
    disabledReason = "pgbouncer is not installed")
class PgBouncerQueueContractTest {
  private static PgBouncer pooler;

  @BeforeAll
  static void start_pooler() {
    pooler = PgBouncer.start();
  }

  @AfterAll
  static void stop_pooler() {
    if (pooler != null) {
      pooler.close();
    }
  }

  @Nested
  class Producing extends ProduceContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Leasing extends LeaseContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Settling extends SettleContract {
    @Override
    protected QueueSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  private static QueueSubject pooled(ManualTime time) {
    return new PostgresQueueSubject(pooler.url(), PostgresOptions.DEFAULTS.withTime(time));
  }
}
