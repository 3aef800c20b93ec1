package io.holdfast.server.http;

import java.time.Duration;

/**
 * How much the server bears.
 *
 * @param connections beyond them, clients are told to come back later
 * @param threads for calls that block
 * @param waiting calls in front of those threads
 * @param headers bytes of them, and of a request's first line
 * @param body bytes of one, whatever the endpoint; 0: as each endpoint has it
 * @param idle how long a connection may be without a request, or take to send its headers
 * @param receive how long a body may take
 * @param answer how long a call may take that does not wait for anything
 */
public record Limits(
    int connections,
    int threads,
    int waiting,
    int headers,
    int body,
    Duration idle,
    Duration receive,
    Duration answer) {
  /** For a server of ordinary size. */
  public static final Limits DEFAULTS =
      new Limits(
          20_000,
          32,
          2_000,
          16 * 1024,
          0,
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          Duration.ofSeconds(60));

  /** The same with other times for slow clients. */
  public Limits patience(Duration forRequest, Duration forBody) {
    return new Limits(connections, threads, waiting, headers, body, forRequest, forBody, answer);
  }

  /** The same for so many connections. */
  public Limits connections(int value) {
    return new Limits(value, threads, waiting, headers, body, idle, receive, answer);
  }

  /** The same for requests of this size. */
  public Limits sizes(int ofHeaders, int ofBody) {
    return new Limits(connections, threads, waiting, ofHeaders, ofBody, idle, receive, answer);
  }

  /** For the body of a call to {@code route}; who needs no token gets no more room by this. */
  long body(Route route) {
    if (body == 0) {
      return route.bodyLimit();
    }
    return route.role() == null ? Math.min(body, route.bodyLimit()) : body;
  }
}
