package io.holdfast.client.http;

import io.holdfast.lease.Causes;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The way to one server. Connections are kept and used again. A repeatable request is tried again
 * when its answer is lost or the server is overloaded, up to three times with growing pauses; any
 * other is sent once. Cancelling an answer tells the server by closing the connection.
 *
 * <p>Safe for use by many threads.
 */
public final class Channel implements AutoCloseable {
  private static final int TRIES = 4;
  private static final long FIRST_PAUSE_MS = 50;
  private static final Set<Integer> COME_BACK = Set.of(429, 502, 503, 504);

  private final URI server;
  private final Settings settings;
  private final ExecutorService threads;
  private final HttpClient http;
  private volatile boolean isClosed;

  /** What every request has. */
  public record Settings(@Nullable String token, Duration connectTimeout, Duration answerTimeout) {}

  /** To this server. */
  public Channel(URI server, Settings settings) {
    this.server = server;
    this.settings = settings;
    this.threads =
        Executors.newCachedThreadPool(
            work -> {
              Thread thread = new Thread(work, "holdfast-client");
              thread.setDaemon(true);
              return thread;
            });
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(settings.connectTimeout())
            .executor(threads)
            .build();
  }

  /** Sends JSON, wants JSON. Fails with {@link Lost} when there is no answer. */
  public CompletableFuture<Reply> send(Request request) {
    return send(request, "application/json", "application/json");
  }

  /** The same with content of other types. */
  public CompletableFuture<Reply> send(Request request, String contentType, String accept) {
    HttpRequest prepared = prepared(request, contentType, accept);
    CompletableFuture<Reply> answer = new CompletableFuture<>();
    attempt(request, prepared, answer, 1);
    return answer;
  }

  private HttpRequest prepared(Request request, String contentType, String accept) {
    byte[] body = request.body();
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(server + request.path()))
            .method(
                request.method(),
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(body))
            .timeout(settings.answerTimeout().plus(request.longest()))
            .header("Accept", accept);
    request.headers().forEach(builder::header);
    if (body != null) {
      builder.header("Content-Type", contentType);
    }
    if (settings.token() != null) {
      builder.header("Authorization", "Bearer " + settings.token());
    }
    return builder.build();
  }

  private void attempt(
      Request request, HttpRequest prepared, CompletableFuture<Reply> answer, int number) {
    if (isClosed || answer.isDone()) {
      answer.completeExceptionally(new Lost(false, "the client is closed", new IOException()));
      return;
    }
    CompletableFuture<HttpResponse<byte[]>> sent =
        http.sendAsync(prepared, HttpResponse.BodyHandlers.ofByteArray());
    answer.whenComplete(
        (reply, failure) -> {
          if (answer.isCancelled()) {
            sent.cancel(true);
          }
        });
    sent.whenComplete(
        (response, failure) -> {
          boolean mayRepeat =
              request.isRepeatable()
                  && number < TRIES
                  && (response == null || COME_BACK.contains(response.statusCode()));
          if (mayRepeat && !answer.isDone()) {
            CompletableFuture.delayedExecutor(pause(number), TimeUnit.MILLISECONDS, threads)
                .execute(() -> attempt(request, prepared, answer, number + 1));
          } else if (response != null) {
            answer.complete(reply(response));
          } else {
            answer.completeExceptionally(lost(failure));
          }
        });
  }

  /** 50, 100, 200 ms, and up to half as much more. */
  private static long pause(int number) {
    long pause = FIRST_PAUSE_MS << (number - 1);
    return pause + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
  }

  private static Reply reply(HttpResponse<byte[]> response) {
    return new Reply(
        response.statusCode(),
        response.headers().firstValue("Content-Type").orElse(""),
        response.body());
  }

  private static Lost lost(@Nullable Throwable failure) {
    Throwable cause = Causes.of(failure == null ? new IOException("no answer") : failure);
    boolean wasSent =
        !(cause instanceof ConnectException
            || cause instanceof HttpConnectTimeoutException
            || cause instanceof UnresolvedAddressException);
    String what =
        wasSent
            ? "the answer of the server was lost: what became of the call is unknown"
            : "the server cannot be reached";
    return new Lost(wasSent, what, cause);
  }

  /** Sends nothing any more. */
  @Override
  public void close() {
    isClosed = true;
    threads.shutdown();
  }
}
