package io.holdfast.server.stream;

import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.stream.StreamCapacityContract;
import io.holdfast.testkit.stream.StreamConcurrencyContract;
import io.holdfast.testkit.stream.StreamDeadLetterContract;
import io.holdfast.testkit.stream.StreamEncryptionContract;
import io.holdfast.testkit.stream.StreamHandlerContract;
import io.holdfast.testkit.stream.StreamHoldContract;
import io.holdfast.testkit.stream.StreamMonitorContract;
import io.holdfast.testkit.stream.StreamProducerContract;
import io.holdfast.testkit.stream.StreamQuarantineContract;
import io.holdfast.testkit.stream.StreamReadingContract;
import io.holdfast.testkit.stream.StreamRetentionContract;
import io.holdfast.testkit.stream.StreamRetryContract;
import io.holdfast.testkit.stream.StreamSeedingContract;
import io.holdfast.testkit.stream.StreamSubject;
import io.holdfast.testkit.stream.StreamValidationContract;
import org.junit.jupiter.api.Nested;

/**
 * What operators, runtimes and rare cases need of streams, through client and server, over
 * PostgreSQL.
 */
class HttpPostgresStreamAdminContractTest {
  @Nested
  class Capacity extends StreamCapacityContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Retrying extends StreamRetryContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Validation extends StreamValidationContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Concurrency extends StreamConcurrencyContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Seeding extends StreamSeedingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Letters extends StreamDeadLetterContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Quarantine extends StreamQuarantineContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Retention extends StreamRetentionContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Holds extends StreamHoldContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Reading extends StreamReadingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Encryption extends StreamEncryptionContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Monitor extends StreamMonitorContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Handlers extends StreamHandlerContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Producers extends StreamProducerContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }
}
