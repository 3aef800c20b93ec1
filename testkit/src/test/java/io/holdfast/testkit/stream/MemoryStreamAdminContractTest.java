package io.holdfast.testkit.stream;

import io.holdfast.memory.MemoryStreamSubject;
import io.holdfast.testkit.ManualTime;
import org.junit.jupiter.api.Nested;

/** The memory store keeps what streams promise to operators, consumers and producers. */
class MemoryStreamAdminContractTest {
  @Nested
  class Groups extends StreamGroupContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Seeding extends StreamSeedingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Transactions extends StreamTransactionContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Letters extends StreamDeadLetterContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Quarantine extends StreamQuarantineContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Retention extends StreamRetentionContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Pauses extends StreamPauseContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Catalog extends StreamCatalogContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Reading extends StreamReadingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Encryption extends StreamEncryptionContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Monitor extends StreamMonitorContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Consumers extends StreamConsumerContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Handlers extends StreamHandlerContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Producers extends StreamProducerContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }

  @Nested
  class Holds extends StreamHoldContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return new MemoryStreamSubject(time);
    }
  }
}
