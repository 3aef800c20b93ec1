package io.holdfast.cli;

import io.holdfast.client.HoldfastClient;
import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.job.Jobs;
import io.holdfast.lock.Locks;
import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.queue.Queues;
import io.holdfast.stream.Streams;
import org.jspecify.annotations.Nullable;

/** What a command works with, wherever it is. */
record Capabilities(Locks locks, Queues queues, Streams streams, Jobs jobs, Runnable ending)
    implements AutoCloseable {
  static Capabilities of(PostgresHoldfast holdfast, @Nullable EmbeddedPostgres embedded) {
    return new Capabilities(
        holdfast.locks(),
        holdfast.queues(),
        holdfast.streams(),
        holdfast.jobs(),
        () -> {
          holdfast.close();
          if (embedded != null) {
            embedded.close();
          }
        });
  }

  static Capabilities of(HoldfastClient client) {
    return new Capabilities(
        client.locks(), client.queues(), client.streams(), client.jobs(), client::close);
  }

  @Override
  public void close() {
    ending.run();
  }
}
