package io.holdfast.postgres;

import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.stream.StreamAckContract;
import io.holdfast.testkit.stream.StreamCallingOffContract;
import io.holdfast.testkit.stream.StreamCapacityContract;
import io.holdfast.testkit.stream.StreamCatalogContract;
import io.holdfast.testkit.stream.StreamConcurrencyContract;
import io.holdfast.testkit.stream.StreamConsumerContract;
import io.holdfast.testkit.stream.StreamDeadLetterContract;
import io.holdfast.testkit.stream.StreamEncryptionContract;
import io.holdfast.testkit.stream.StreamFencingContract;
import io.holdfast.testkit.stream.StreamFiguresContract;
import io.holdfast.testkit.stream.StreamGroupContract;
import io.holdfast.testkit.stream.StreamHandlerContract;
import io.holdfast.testkit.stream.StreamHoldContract;
import io.holdfast.testkit.stream.StreamMonitorContract;
import io.holdfast.testkit.stream.StreamPauseContract;
import io.holdfast.testkit.stream.StreamPopContract;
import io.holdfast.testkit.stream.StreamProducerContract;
import io.holdfast.testkit.stream.StreamPushContract;
import io.holdfast.testkit.stream.StreamQuarantineContract;
import io.holdfast.testkit.stream.StreamReadingContract;
import io.holdfast.testkit.stream.StreamRetentionContract;
import io.holdfast.testkit.stream.StreamRetryContract;
import io.holdfast.testkit.stream.StreamSeedingContract;
import io.holdfast.testkit.stream.StreamSubject;
import io.holdfast.testkit.stream.StreamTimingContract;
import io.holdfast.testkit.stream.StreamTransactionContract;
import io.holdfast.testkit.stream.StreamValidationContract;
import org.junit.jupiter.api.Nested;

/** The stream suites on PostgreSQL. */
class PostgresStreamContractTest {
  @Nested
  class Figures extends StreamFiguresContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class CallingOff extends StreamCallingOffContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Pushing extends StreamPushContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Capacity extends StreamCapacityContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Popping extends StreamPopContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Timing extends StreamTimingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Settling extends StreamAckContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Fencing extends StreamFencingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Retrying extends StreamRetryContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Validation extends StreamValidationContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Concurrency extends StreamConcurrencyContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Groups extends StreamGroupContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Seeding extends StreamSeedingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Transactions extends StreamTransactionContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Letters extends StreamDeadLetterContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Quarantine extends StreamQuarantineContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Retention extends StreamRetentionContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Pauses extends StreamPauseContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Catalog extends StreamCatalogContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Reading extends StreamReadingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Encryption extends StreamEncryptionContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Monitor extends StreamMonitorContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Consumers extends StreamConsumerContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Handlers extends StreamHandlerContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Producers extends StreamProducerContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }

  @Nested
  class Holds extends StreamHoldContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new PostgresStreamSubject(time);
    }
  }
}
