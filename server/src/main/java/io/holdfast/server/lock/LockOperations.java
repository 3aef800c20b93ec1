package io.holdfast.server.lock;

import io.holdfast.client.lock.LockWire;
import io.holdfast.lease.Fence;
import io.holdfast.lock.LockAdmin;
import io.holdfast.lock.LockInfoRaw;
import io.holdfast.lock.LockOperator;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Routes;
import io.holdfast.server.http.WireJson;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What operators of locks do and see. */
final class LockOperations {
  private static final int PAGE = 100;

  private final LockOperator operator;

  LockOperations(LockOperator operator) {
    this.operator = operator;
  }

  void mount(Routes routes) {
    routes.add(
        LocksApi.route("list", Role.ADMIN, "Live locks by key")
            .typed(LockWire.LockList.class, LockWire.LockListReply.class),
        this::list);
    routes.add(
        LocksApi.route("inspect", Role.ADMIN, "Everything about a key")
            .typed(LockWire.LockInspect.class, LockWire.LockInspectReply.class),
        this::inspect);
    routes.add(
        LocksApi.route("stats", Role.ADMIN, "How much there is of everything")
            .typed(LockWire.LockNothing.class, LockWire.LockStatsReply.class),
        this::stats);
    routes.add(
        LocksApi.route("break", Role.ADMIN, "Frees a key if its fence is still the given one")
            .typed(LockWire.LockBreak.class, LockWire.LockBreakReply.class),
        this::breakLock);
    routes.add(
        LocksApi.route("raiseFences", Role.ADMIN, "Adds to every fence counter")
            .typed(LockWire.LockRaise.class, LockWire.LockRaiseReply.class),
        this::raiseFences);
    routes.add(
        LocksApi.route("purge", Role.ADMIN, "Removes expired rows now")
            .typed(LockWire.LockNothing.class, LockWire.LockPurgeReply.class),
        this::purge);
  }

  private CompletableFuture<Answer> list(Exchange exchange) {
    LockWire.LockList body = WireJson.read(exchange, LockWire.LockList.class);
    String prefix = body.prefix() == null ? "" : body.prefix();
    int limit = body.limit() == null ? PAGE : body.limit();
    boolean isRaw = Boolean.TRUE.equals(body.raw());
    return exchange.blocking(
        () -> {
          List<LockWire.LockDocument> locks =
              exchange
                  .caller()
                  .seen(
                      body.after(),
                      limit,
                      after -> operator.listRaw(prefix, after, limit),
                      LockInfoRaw::key)
                  .stream()
                  .map(lock -> LocksApi.document(lock, null, isRaw))
                  .toList();
          return WireJson.answer(new LockWire.LockListReply(locks));
        });
  }

  private CompletableFuture<Answer> inspect(Exchange exchange) {
    LockWire.LockInspect body = WireJson.read(exchange, LockWire.LockInspect.class);
    String key = LocksApi.key(exchange, body.key());
    boolean isRaw = Boolean.TRUE.equals(body.raw());
    return exchange.blocking(
        () -> {
          LockAdmin.Inspection seen = operator.inspectRaw(key);
          LockOperator.LockInspection told = LockOperator.LockInspection.of(seen);
          return WireJson.answer(
              new LockWire.LockInspectReply(
                  document(seen, isRaw),
                  told.remaining().toMillis(),
                  "%015d".formatted(told.counter()),
                  told.waiters().stream()
                      .map(w -> new LockWire.LockWaiter(w.number(), w.fair(), w.expiresAtMs()))
                      .toList(),
                  told.refusal().orElse(null),
                  seen.nowMs()));
        });
  }

  private static LockWire.@Nullable LockDocument document(
      LockAdmin.Inspection seen, boolean isRaw) {
    return seen.row() == null ? null : LocksApi.document(LockInfoRaw.of(seen.row()), null, isRaw);
  }

  private CompletableFuture<Answer> stats(Exchange exchange) {
    WireJson.read(exchange, LockWire.LockNothing.class);
    return exchange.blocking(
        () -> {
          LockAdmin.Stats stats = operator.stats();
          return WireJson.answer(
              new LockWire.LockStatsReply(
                  stats.liveLocks(),
                  stats.expiredRows(),
                  stats.counters(),
                  stats.waiters(),
                  stats.lockTableBytes(),
                  stats.counterTableBytes()));
        });
  }

  private CompletableFuture<Answer> breakLock(Exchange exchange) {
    LockWire.LockBreak body = WireJson.read(exchange, LockWire.LockBreak.class);
    String key = LocksApi.key(exchange, body.key());
    String fence = body.fence();
    if (fence == null) {
      throw Refusal.malformed("'fence' is missing");
    }
    Fence checked = Fence.parse(fence);
    return exchange.blocking(
        () -> WireJson.answer(new LockWire.LockBreakReply(operator.breakLock(key, checked))));
  }

  private CompletableFuture<Answer> raiseFences(Exchange exchange) {
    LockWire.LockRaise body = WireJson.read(exchange, LockWire.LockRaise.class);
    Long by = body.by();
    if (by == null) {
      throw Refusal.malformed("'by' is missing");
    }
    checkUnrestricted(exchange);
    return exchange.blocking(
        () -> WireJson.answer(new LockWire.LockRaiseReply(operator.raiseFences(by))));
  }

  private CompletableFuture<Answer> purge(Exchange exchange) {
    WireJson.read(exchange, LockWire.LockNothing.class);
    checkUnrestricted(exchange);
    return exchange.blocking(() -> WireJson.answer(new LockWire.LockPurgeReply(operator.purge())));
  }

  /** It is done to every key. */
  private static void checkUnrestricted(Exchange exchange) {
    if (exchange.caller().isRestricted()) {
      throw Refusal.forbidden("the token is not for every key");
    }
  }
}
