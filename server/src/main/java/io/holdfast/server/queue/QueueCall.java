package io.holdfast.server.queue;

import io.holdfast.client.proto.GoDuration;
import io.holdfast.client.proto.MessageType;
import io.holdfast.client.proto.ProtoJson;
import io.holdfast.client.queue.QueueMessages.QueueReply;
import io.holdfast.queue.QueueException;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** One call on the wire of queues: what was asked, and in which form the answer goes back. */
record QueueCall<Q extends Record>(
    Q request, Exchange exchange, Format replies, ProtoJson.Audience audience) {
  /** How long a call may take that says nothing about it. */
  private static final Duration LONGEST = Duration.ofMinutes(5);

  /** A longer wait is refused at once. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(15);

  static <Q extends Record> QueueCall<Q> read(Class<Q> type, Exchange exchange) {
    Format replies = Format.of("Accept", exchange.header("Accept"));
    Format format = Format.of("Content-Type", exchange.header("Content-Type"));
    Q request = format.read(MessageType.of(type), exchange.body());
    return new QueueCall<>(
        request,
        exchange,
        replies,
        QueueDialect.isExtended(exchange)
            ? ProtoJson.Audience.EXTENDED
            : ProtoJson.Audience.STRICT);
  }

  /** The same for somebody whose question shows that extensions are known. */
  QueueCall<Q> extended() {
    return new QueueCall<>(request, exchange, replies, ProtoJson.Audience.EXTENDED);
  }

  boolean isExtended() {
    return audience == ProtoJson.Audience.EXTENDED;
  }

  Answer answer(Record reply) {
    return Answer.of(200, replies.type(), replies.write(reply, audience));
  }

  Answer done() {
    return answer(QueueReply.DONE);
  }

  /** Whether only some queues are for the caller. */
  boolean isRestricted() {
    return exchange.caller().isRestricted();
  }

  /** Refuses a queue that is not for the caller. */
  String named(String queue) {
    exchange.caller().require(queue);
    return queue;
  }

  /** The answer to what may take as long as {@code timeout} says; called off with its client. */
  <T> CompletableFuture<T> awaited(CompletableFuture<T> future, Duration timeout) {
    if (!timeout.isNegative() && timeout.compareTo(LONGEST_WAIT) <= 0) {
      exchange.mayTake(timeout);
    }
    return exchange.awaited(future);
  }

  <T> CompletableFuture<T> awaited(CompletableFuture<T> future) {
    return awaited(future, LONGEST);
  }

  /** The same for what blocks. */
  <T> CompletableFuture<T> blocking(Callable<T> work) {
    exchange.mayTake(LONGEST);
    return exchange.blocking(work);
  }

  /** A duration that must be there. */
  static Duration required(String what, String text) {
    if (text.isEmpty()) {
      throw QueueException.invalid(what + " is required; '5m' is one, '900ms' another");
    }
    return duration(what, text);
  }

  static Duration duration(String what, String text) {
    return GoDuration.parse(text)
        .orElseThrow(
            () ->
                QueueException.invalid(
                    what + " is invalid; it must be a duration such as '5m' or '900ms'"));
  }
}
