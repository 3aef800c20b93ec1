package io.holdfast.server.stream;

import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.stream.StreamAckContract;
import io.holdfast.testkit.stream.StreamCallingOffContract;
import io.holdfast.testkit.stream.StreamCatalogContract;
import io.holdfast.testkit.stream.StreamConsumerContract;
import io.holdfast.testkit.stream.StreamFencingContract;
import io.holdfast.testkit.stream.StreamFiguresContract;
import io.holdfast.testkit.stream.StreamGroupContract;
import io.holdfast.testkit.stream.StreamPauseContract;
import io.holdfast.testkit.stream.StreamPopContract;
import io.holdfast.testkit.stream.StreamPushContract;
import io.holdfast.testkit.stream.StreamSubject;
import io.holdfast.testkit.stream.StreamTimingContract;
import io.holdfast.testkit.stream.StreamTransactionContract;
import org.junit.jupiter.api.Nested;

/** What producers and consumers do with streams, through client and server, over PostgreSQL. */
class HttpPostgresStreamContractTest {
  @Nested
  class Figures extends StreamFiguresContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class CallingOff extends StreamCallingOffContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Pushing extends StreamPushContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Popping extends StreamPopContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Timing extends StreamTimingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Settling extends StreamAckContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Fencing extends StreamFencingContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Groups extends StreamGroupContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Transactions extends StreamTransactionContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Pauses extends StreamPauseContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Catalog extends StreamCatalogContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }

  @Nested
  class Consumers extends StreamConsumerContract {
    @Override
    protected StreamSubject subject(ManualTime time) {
      return HttpStreamSubject.postgres(time);
    }
  }
}
