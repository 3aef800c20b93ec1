package io.holdfast.server.http;

import io.holdfast.lease.Causes;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request from its first byte to its last. It lives on the event loop of its connection; only
 * its endpoint's futures leave it. It ends in one of three ways: answered, given up because the
 * client left, or given up because it took too long. An answer that finds nobody is undone.
 */
final class Call {
  private static final Logger LOG = LoggerFactory.getLogger(Call.class);
  private static final int LARGE = 64 * 1024;
  private static final int LONGEST_NUMBER = 18;
  private static final long HEARD_OUT_MS = 1_000;

  private final Kernel kernel;
  private final Vertx vertx;
  private final HttpServerRequest request;
  private final Exchange exchange;
  private final Patience patience;
  private final Context context;
  private final long startedAt = System.nanoTime();
  private String operation = "none";
  private Dialect dialect = PlainDialect.INSTANCE;
  private long timer = -1;
  private boolean isAnswered;
  private boolean isEnded;

  Call(Kernel kernel, Vertx vertx, HttpServerRequest request, Patience patience) {
    this.kernel = kernel;
    this.vertx = vertx;
    this.request = request;
    this.patience = patience;
    this.context = vertx.getOrCreateContext();
    this.exchange = new Exchange(request, kernel.workers, kernel.limits.answer());
  }

  void begin() {
    patience.end();
    request.response().closeHandler(gone -> left());
    request.response().exceptionHandler(this::broken);
    request.exceptionHandler(this::broken);
    try {
      route();
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void route() {
    dialect = kernel.routes.dialect(exchange.path());
    if (kernel.isCrowded()) {
      throw new Refusal(Refusal.Kind.OVERLOADED, "the server has too many connections");
    }
    checkLength();
    String method = exchange.method();
    if (method.equals("OPTIONS")) {
      answer(preflight());
      return;
    }
    Routes.Match match =
        kernel.routes.find(method.equals("HEAD") ? "GET" : method, exchange.path());
    dialect = match.route().dialect();
    operation = match.route().method() + " " + match.route().path();
    exchange.routed(match, kernel.door.admit(request, match.route()));
    if (kernel.isDraining() && match.route().role() != null) {
      throw new Refusal(Refusal.Kind.SHUTTING_DOWN, "service is shutting down");
    }
    read(kernel.limits.body(match.route()), match.endpoint());
  }

  /**
   * Whether it is plain where the body ends. A proxy that reads it otherwise would take the rest of
   * one request for another one.
   */
  private void checkLength() {
    List<String> codings = request.headers().getAll("Transfer-Encoding");
    if (codings.isEmpty()) {
      return;
    }
    if (codings.size() > 1
        || !codings.get(0).equalsIgnoreCase("chunked")
        || request.headers().contains("Content-Length")) {
      throw Refusal.malformed("a body has either a Content-Length or the one coding chunked");
    }
  }

  private Answer preflight() {
    Answer answer = Answer.empty(204);
    return kernel.door.allowedOrigin(request) == null
        ? answer
        : answer
            .with("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
            .with(
                "Access-Control-Allow-Headers",
                "Authorization, Content-Type, Accept, Holdfast-Extensions");
  }

  private void read(long limit, Endpoint endpoint) {
    String announced = request.getHeader("Content-Length");
    if (announced != null
        && (announced.length() > LONGEST_NUMBER || Long.parseLong(announced) > limit)) {
      throw tooLarge(limit);
    }
    Buffer body = Buffer.buffer();
    after(kernel.limits.receive(), this::tooSlow);
    request.handler(
        part -> {
          if (!isAnswered && body.length() + part.length() > limit) {
            fail(tooLarge(limit));
          } else if (!isAnswered) {
            body.appendBuffer(part);
          }
        });
    request.endHandler(end -> received(body, endpoint));
  }

  /** The rest of the request does not come: the client has left, or sent what is no HTTP. */
  private void broken(Throwable failure) {
    if (!isAnswered && !(failure instanceof VertxException) && !(failure instanceof IOException)) {
      fail(Refusal.malformed("the body cannot be read as HTTP"));
    }
    left();
  }

  private static Refusal tooLarge(long limit) {
    return new Refusal(Refusal.Kind.TOO_LARGE, "the body is larger than " + limit + " bytes");
  }

  private void tooSlow() {
    fail(new Refusal(Refusal.Kind.TOO_SLOW, "the request took too long to arrive"));
  }

  private void received(Buffer body, Endpoint endpoint) {
    if (isAnswered) {
      return;
    }
    exchange.received(body.getBytes());
    CompletionStage<Answer> served;
    try {
      served =
          body.length() > LARGE
              ? kernel.workers.call(() -> endpoint.serve(exchange)).thenCompose(stage -> stage)
              : endpoint.serve(exchange);
    } catch (Throwable e) {
      fail(e);
      return;
    }
    after(exchange.limit(), this::overdue);
    served.whenComplete(this::settle);
  }

  private void after(Duration time, Runnable action) {
    stopTimer();
    timer = vertx.setTimer(Math.max(1, time.toMillis()), id -> action.run());
  }

  private void stopTimer() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
      timer = -1;
    }
  }

  private void overdue() {
    fail(new Refusal(Refusal.Kind.DEADLINE, "the call took too long; its outcome is unknown"));
    exchange.gone().tell();
  }

  /** On any thread. */
  private void settle(@Nullable Answer answer, @Nullable Throwable failure) {
    Answer told = answer != null ? answer : told(failure);
    context.runOnContext(go -> answer(told));
  }

  private Answer told(@Nullable Throwable failure) {
    Throwable cause = Causes.ofNullable(failure);
    if (cause instanceof CancellationException && exchange.gone().isGone()) {
      return Answer.empty(503); // nobody is there to read it
    }
    try {
      Answer answer =
          dialect.failure(exchange, cause == null ? new IllegalStateException() : cause);
      return cause instanceof Refusal refusal ? refusal.completed(answer) : answer;
    } catch (RuntimeException e) {
      LOG.error("a failure could not be told", e);
      return PlainDialect.INSTANCE.failure(exchange, e);
    }
  }

  private void fail(Throwable failure) {
    answer(told(failure));
  }

  private void answer(Answer answer) {
    HttpServerResponse response = request.response();
    if (isAnswered || response.closed()) {
      undo(answer, false);
      end("gone");
      return;
    }
    isAnswered = true;
    stopTimer();
    boolean isComplete = request.isEnded();
    head(response, answer, isComplete);
    Answer.Stream stream = answer.stream();
    boolean isHead = exchange.method().equals("HEAD");
    if (stream != null && !isHead) {
      stream(response, stream);
      return;
    }
    boolean isBare = answer.type() == null || isHead;
    (isBare ? response.end() : response.end(Buffer.buffer(answer.body())))
        .onComplete(sent -> sent(answer, sent.succeeded(), isComplete));
  }

  private void sent(Answer answer, boolean isDelivered, boolean isComplete) {
    if (!isDelivered) {
      undo(answer, true);
    }
    end(Integer.toString(answer.status()));
    if (isComplete) {
      patience.begin();
    } else {
      hearOut();
    }
  }

  /**
   * What the client still sends belongs to no request. It is read and forgotten for a moment all
   * the same: a connection that closes on unread bytes is reset, and the answer may be lost.
   */
  private void hearOut() {
    long end = vertx.setTimer(HEARD_OUT_MS, id -> request.connection().close());
    try {
      request.handler(part -> {});
      request.endHandler(
          done -> {
            vertx.cancelTimer(end);
            request.connection().close();
          });
      request.resume();
    } catch (IllegalStateException e) {
      request.connection().close(); // it ended meanwhile
    }
  }

  private void head(HttpServerResponse response, Answer answer, boolean isComplete) {
    response.setStatusCode(answer.status());
    answer.headers().forEach(response::putHeader);
    response.putHeader("X-Content-Type-Options", "nosniff");
    if (answer.type() != null) {
      response.putHeader("Content-Type", answer.type());
      if (answer.stream() == null) {
        response.putHeader("Content-Length", Integer.toString(answer.body().length));
      }
    }
    String origin = kernel.door.allowedOrigin(request);
    if (origin != null) {
      response.putHeader("Access-Control-Allow-Origin", origin).putHeader("Vary", "Origin");
    }
    if (!isComplete || kernel.isDraining() || kernel.isCrowded()) {
      response.putHeader("Connection", "close");
    }
  }

  private void stream(HttpServerResponse response, Answer.Stream stream) {
    response.setChunked(true);
    response.endHandler(done -> left());
    response.writeHead().onFailure(failure -> left());
    stream.begin(new LiveOutlet(response, exchange.gone(), context));
  }

  /** The client has left, or heard everything; who still works for it brings what to undo. */
  private void left() {
    stopTimer();
    exchange.gone().tell();
    if (isAnswered) {
      end("gone");
    }
    isAnswered = true;
  }

  private void end(String outcome) {
    if (isEnded) {
      return;
    }
    isEnded = true;
    kernel.ended(this);
    kernel.timer(operation, outcome).record(System.nanoTime() - startedAt, TimeUnit.NANOSECONDS);
  }

  private void undo(Answer answer, boolean mayBeKnown) {
    Answer.Undo undelivered = answer.undelivered();
    if (undelivered != null) {
      kernel.workers.call(
          () -> {
            undelivered.undo(mayBeKnown);
            return true;
          });
    }
  }
}
