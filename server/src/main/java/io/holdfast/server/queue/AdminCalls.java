package io.holdfast.server.queue;

import io.holdfast.client.queue.QueueMessages.QueueChangedReply;
import io.holdfast.client.queue.QueueMessages.QueueClearRequest;
import io.holdfast.client.queue.QueueMessages.QueueDeleteRequest;
import io.holdfast.client.queue.QueueMessages.QueueInfoMessage;
import io.holdfast.client.queue.QueueMessages.QueueNamed;
import io.holdfast.client.queue.QueueMessages.QueuePauseRequest;
import io.holdfast.client.queue.QueueMessages.QueuesListReply;
import io.holdfast.client.queue.QueueMessages.QueuesListRequest;
import io.holdfast.queue.Clear;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.QueueAdmin;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueRules;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.Queues;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Caller;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What is done with queues as a whole. */
final class AdminCalls {
  private static final int LONGEST_DURATION = 15;
  private static final int DEFAULT_LIMIT = 1000;

  private final Queues queues;

  AdminCalls(Queues queues) {
    this.queues = queues;
  }

  CompletableFuture<Answer> create(QueueCall<QueueInfoMessage> call) {
    QueueInfoMessage request = call.request();
    String name = call.named(request.queueName());
    String dead = deadQueue(call);
    QueueRules.checkName(name);
    Timeouts timeouts = Timeouts.read(call);
    NewQueue queue =
        new NewQueue(
            name,
            request.namespace(),
            timeouts.lease,
            timeouts.expire,
            dead == null ? "" : dead,
            Objects.requireNonNullElse(request.maxAttempts(), 0),
            Objects.requireNonNullElse(request.reference(), ""),
            request.requestedPartitions());
    return call.blocking(() -> changed(call, queues.create(queue)));
  }

  CompletableFuture<Answer> update(QueueCall<QueueInfoMessage> call) {
    QueueInfoMessage request = call.request();
    String name = call.named(request.queueName());
    String dead = deadQueue(call);
    return call.blocking(
        () -> {
          Timeouts timeouts;
          try {
            timeouts = Timeouts.read(call);
          } catch (QueueException e) {
            queues.get(name); // that there is no such queue would be told first
            throw e;
          }
          QueueUpdate update =
              new QueueUpdate(
                  timeouts.lease,
                  timeouts.expire,
                  dead,
                  request.maxAttempts(),
                  request.reference(),
                  request.requestedPartitions());
          return changed(call, queues.update(name, update));
        });
  }

  private static @Nullable String deadQueue(QueueCall<QueueInfoMessage> call) {
    String dead = call.request().deadQueue();
    return dead == null || dead.isEmpty() ? dead : call.named(dead);
  }

  /** What a message says about times; null where it says nothing. */
  private record Timeouts(@Nullable Duration lease, @Nullable Duration expire) {
    static Timeouts read(QueueCall<QueueInfoMessage> call) {
      String lease = call.request().leaseTimeout();
      String expire = call.request().expireTimeout();
      if (!call.isExtended()) {
        checkLength("lease timeout", lease);
        checkLength("expire timeout", expire);
      }
      Duration expireTimeout = parsed("expire timeout", expire);
      return new Timeouts(parsed("lease timeout", lease), expireTimeout);
    }

    private static void checkLength(String what, String text) {
      if (text.codePointCount(0, text.length()) > LONGEST_DURATION) {
        throw QueueException.invalid(
            what + " is invalid; it cannot be longer than " + LONGEST_DURATION + " characters");
      }
    }

    private static @Nullable Duration parsed(String what, String text) {
      return text.isEmpty() ? null : QueueCall.duration(what, text);
    }
  }

  private static Answer changed(QueueCall<?> call, QueueInfo queue) {
    return call.isExtended()
        ? call.answer(new QueueChangedReply(200, Wire.info(queue)))
        : call.done();
  }

  CompletableFuture<Answer> info(QueueCall<QueueNamed> call) {
    String name = call.named(call.request().queueName());
    return call.blocking(() -> call.answer(Wire.info(queues.get(name))));
  }

  CompletableFuture<Answer> delete(QueueCall<QueueDeleteRequest> call) {
    String name = call.named(call.request().queueName());
    return call.blocking(
        () -> {
          queues.delete(name, call.request().force());
          return call.done();
        });
  }

  CompletableFuture<Answer> list(QueueCall<QueuesListRequest> call) {
    QueuesListRequest request = call.request();
    String namespace = request.namespace();
    // Without one, an extended question means all of them, and any other the default.
    QueuePage page =
        new QueuePage(
            request.pivot(),
            request.limit(),
            namespace == null && !call.isExtended() ? "" : namespace);
    Caller caller = call.exchange().caller();
    return call.blocking(
        () -> {
          int limit = page.limit() == 0 ? DEFAULT_LIMIT : page.limit();
          List<QueueInfo> found =
              caller.seen(null, limit, after -> queues.list(behind(after, page)), QueueInfo::name);
          return call.answer(new QueuesListReply(found.stream().map(Wire::info).toList()));
        });
  }

  /** A list begins with its pivot; no name lies between this one and the next. */
  private static QueuePage behind(@Nullable String name, QueuePage first) {
    return name == null ? first : new QueuePage(name + '\u0001', first.limit(), first.namespace());
  }

  CompletableFuture<Answer> pause(QueueCall<QueuePauseRequest> call) {
    String name = call.named(call.request().queueName());
    String scope = call.request().scope();
    return call.blocking(
        () -> {
          if (!scope.isEmpty() && !scope.equals("lease")) {
            queues.get(name);
            throw QueueException.invalid("scope is invalid; it must be 'lease'");
          }
          return changed(call, queues.queue(name).admin().pause());
        });
  }

  CompletableFuture<Answer> resume(QueueCall<QueueNamed> call) {
    String name = call.named(call.request().queueName());
    return call.blocking(() -> changed(call, queues.queue(name).admin().resume()));
  }

  CompletableFuture<Answer> clear(QueueCall<QueueClearRequest> call) {
    QueueClearRequest request = call.request();
    return done(
        call,
        request.queueName(),
        admin ->
            admin.clear(new Clear(request.queue(), request.scheduled(), request.destructive())));
  }

  CompletableFuture<Answer> reload(QueueCall<QueueNamed> call) {
    return done(call, call.request().queueName(), admin -> admin.reload());
  }

  CompletableFuture<Answer> wake(QueueCall<QueueNamed> call) {
    return done(call, call.request().queueName(), admin -> admin.wake());
  }

  private CompletableFuture<Answer> done(
      QueueCall<?> call, String queue, Consumer<QueueAdmin> what) {
    String name = call.named(queue);
    return call.blocking(
        () -> {
          what.accept(queues.queue(name).admin());
          return call.done();
        });
  }

  CompletableFuture<Answer> stats(QueueCall<QueueNamed> call) {
    String name = call.named(call.request().queueName());
    return call.blocking(() -> call.answer(Wire.stats(name, queues.queue(name).admin().stats())));
  }
}
