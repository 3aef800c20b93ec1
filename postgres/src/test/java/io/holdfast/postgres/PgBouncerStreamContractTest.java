package io.holdfast.postgres;

import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.stream.StreamSubject;
import io.holdfast.testkit.stream.StreamTransactionContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Pushing, claiming, settling and both in one transaction through a PgBouncer in transaction mode:
 * no statement may rely on the session it meets.
 */
@EnabledIf(
    value = "io.holdfast.postgres.PgBouncer#isInstalled",
    disabledReason = "pgbouncer is not installed")
class PgBouncerStreamContractTest {
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
  class Transacting extends StreamTransactionContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  private static StreamSubject pooled(ManualTime time) {
    return new PostgresStreamSubject(pooler.url(), PostgresOptions.DEFAULTS.withTime(time));
  }
}
