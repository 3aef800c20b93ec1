package io.holdfast.client;

import io.holdfast.lease.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a client behaves.
 *
 * @param token sent as a bearer token; null: none
 * @param connectTimeout how long a connection may take to come about
 * @param answerTimeout how long an answer may take, beyond what the call itself may wait
 * @param time the clock of this process, for leases that are renewed
 */
public record ClientOptions(
    @Nullable String token, Duration connectTimeout, Duration answerTimeout, Time time) {
  /** No token, five seconds to connect, thirty to answer. */
  public static final ClientOptions DEFAULTS =
      new ClientOptions(null, Duration.ofSeconds(5), Duration.ofSeconds(30), Time.system());

  /** With this token. */
  public ClientOptions withToken(@Nullable String value) {
    return new ClientOptions(value, connectTimeout, answerTimeout, time);
  }

  /** With these time limits. */
  public ClientOptions withTimeouts(Duration connect, Duration answer) {
    return new ClientOptions(token, connect, answer, time);
  }

  /** On this clock. */
  public ClientOptions withTime(Time value) {
    return new ClientOptions(token, connectTimeout, answerTimeout, value);
  }

  /** Without the token, which is nobody's business. */
  @Override
  public String toString() {
    return "ClientOptions[connectTimeout="
        + connectTimeout
        + ", answerTimeout="
        + answerTimeout
        + "]";
  }
}
