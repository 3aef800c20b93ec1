package io.holdfast.postgres;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.net.TcpProxy;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process whose very first connection breaks at the worst moment. */
@Timeout(90)
class StreamPoolTest {
  /** What a pool learns of its first connection, it believes of all. */
  @Test
  @Guarantee("SF12")
  void a_first_connection_that_breaks_while_it_is_set_up_does_not_spoil_the_next()
      throws Exception {
    URI address = URI.create(TestDatabase.url().substring("jdbc:".length()));
    String schema = TestDatabase.unique("s");
    int port = address.getPort() < 0 ? 5432 : address.getPort();
    try (TcpProxy proxy = TcpProxy.to(address.getHost(), port)) {
      String url =
          TestDatabase.url("prepareThreshold=0&sslmode=disable")
              .replaceFirst("//[^/]+/", "//" + proxy.host() + ":" + proxy.port() + "/");
      CompletableFuture<byte[]> lost = proxy.swallowNextAnswer("SHOW TRANSACTION ISOLATION LEVEL");
      try (PostgresHoldfast holdfast =
          PostgresHoldfast.open(url, PostgresOptions.DEFAULTS.withStreamSchema(schema))) {
        List<NewMessage> message = List.of(NewMessage.to("orders", "a").once("1"));
        Throwable first = catchThrowable(() -> holdfast.streams().push(message));
        lost.get(10, SECONDS);
        assertThat(first)
            .satisfiesAnyOf(
                e -> assertThat(e).isNull(),
                e -> assertThat(((StreamException) e).error()).isEqualTo(StreamError.UNAVAILABLE));

        List<Pushed> pushed = holdfast.streams().push(message);

        assertThat(pushed).hasSize(1);
      }
    } finally {
      TestDatabase.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
    }
  }
}
