package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Fence;
import io.holdfast.lease.Renewal;
import io.holdfast.lock.Liveness;
import io.holdfast.lock.LockAdmin;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockRef;
import io.holdfast.lock.LockStore;
import io.holdfast.lock.LockTtl;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a random sequence. It names things by their place in a pool, or by what is
 * stored when its turn comes, so that it keeps its meaning when operations before it are taken out.
 */
sealed interface DifferentialOp {
  LockCall CALL = LockCall.plain();

  /** Settles what to ask of both stores; null when only the clock moves. */
  @Nullable Question ask(DifferentialModel model);

  /**
   * A question to a store.
   *
   * @param put asks it; the answer is a value that can be compared
   * @param outcome names the kind of an answer
   * @param places where now is relative to the boundaries that matter, for example {@code +1000}
   */
  record Question(
      Function<LockBackend, Object> put,
      Function<Object, List<String>> outcome,
      List<String> places) {
    Object answer(LockBackend store) {
      try {
        return put.apply(store);
      } catch (LockException e) {
        return e.code();
      }
    }
  }

  /** Whose id: one of the pool that callers bring, a new one, or the one stored for a key. */
  record Id(Kind kind, int n) {
    enum Kind {
      POOL,
      HOLDER,
      NEW
    }

    LockId of(DifferentialModel model) {
      LockStore.Row row = kind == Kind.HOLDER ? model.row(DifferentialModel.key(n)) : null;
      if (row != null) {
        return LockId.of(row.id());
      }
      return kind == Kind.POOL ? DifferentialModel.poolId(n) : model.newId();
    }

    @Override
    public String toString() {
      return kind + (kind == Kind.NEW ? "" : " " + n);
    }
  }

  /** For how long: plainly, or to the largest instant there is, or one beyond where that can be. */
  enum Ttl {
    MS_1(1),
    MS_500(500),
    MS_1500(1500),
    MS_4000(4000),
    TO_THE_LIMIT(4000),
    BEYOND(1);

    private final long ms;

    Ttl(long ms) {
      this.ms = ms;
    }

    LockTtl of(DifferentialModel model) {
      long left = Liveness.MAX_INSTANT_MS - model.nowMs();
      boolean near = left < LockTtl.MAX_MILLIS;
      return new LockTtl(
          near && this == TO_THE_LIMIT ? left : near && this == BEYOND ? left + 1 : ms);
    }
  }

  record Waiter(int n, boolean fair, long ttlMs) {}

  record Acquire(int key, Id id, Ttl ttl, @Nullable Waiter waiter) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      LockKey wanted = DifferentialModel.key(key);
      LockId with = id.of(model);
      boolean callers = id.kind() == Id.Kind.POOL;
      LockStore.Waiter ticket =
          waiter == null
              ? null
              : new LockStore.Waiter("waiter-" + waiter.n(), waiter.fair(), waiter.ttlMs());
      LockStore.Request request =
          new LockStore.Request(wanted, with, callers, ttl.of(model), ticket);
      LockAdmin.Inspection before = model.inspect(wanted);
      List<String> places = new ArrayList<>(rowPlaces("acquire", model, before.row()));
      if (waiter != null && waiter.fair() && !model.isLive(before.row())) {
        places.addAll(ticketPlaces("fair", model, before.waiters()));
      }
      return new Question(
          store -> store.store().acquire(request, CALL),
          answer -> List.of("acquire:" + outcome(answer, request, before, model)),
          places);
    }

    private String outcome(
        Object answer,
        LockStore.Request request,
        LockAdmin.Inspection before,
        DifferentialModel model) {
      LockStore.Row row = before.row();
      if (answer instanceof LockStore.Grant.Granted) {
        String granted = row == null ? "granted" : "taken over";
        return model.isLive(row) ? "replayed" : waiter == null ? granted : "granted to a waiter";
      } else if (answer instanceof LockStore.Grant.Refused) {
        String refused = waiter == null ? "refused" : "refused with a ticket";
        return model.isLive(row) ? refused : "refused by fairness";
      } else if (model.nowMs() + request.ttl().millis() > Liveness.MAX_INSTANT_MS) {
        return "overflow";
      } else if (before.counter() >= Fence.MAX) {
        return "exhausted";
      }
      return answer == ErrorCode.INTERNAL ? "new id in use" : "callers id in use";
    }
  }

  record Release(Id id, boolean durably) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      LockId held = id.of(model);
      LockStore.Row row = model.row(held);
      List<String> places = new ArrayList<>(rowPlaces("release", model, row));
      if (model.isLive(row)) {
        places.addAll(ticketPlaces("wake", model, model.inspect(LockKey.of(row.key())).waiters()));
      }
      return new Question(
          store -> store.store().release(held, durably, CALL),
          answer -> {
            LockStore.Freed freed = (LockStore.Freed) answer;
            return List.of("release:" + lower(freed.status()) + (freed.wake() ? " and woken" : ""));
          },
          places);
    }
  }

  record Extend(Id id, Ttl ttl) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      LockId held = id.of(model);
      LockTtl until = ttl.of(model);
      return new Question(
          store -> store.store().extend(held, until, CALL),
          answer -> List.of("extend:" + renewal(answer)),
          rowPlaces("extend", model, model.row(held)));
    }
  }

  record ExtendMany(List<Extend> each) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      List<LockStore.Extend> asked = new ArrayList<>();
      List<String> places = new ArrayList<>();
      for (Extend one : each) {
        LockStore.Extend extend = new LockStore.Extend(one.id().of(model), one.ttl().of(model));
        if (asked.stream().noneMatch(other -> other.id().equals(extend.id()))) {
          asked.add(extend);
          places.addAll(rowPlaces("extend many", model, model.row(extend.id())));
        }
      }
      return new Question(
          store -> store.store().extendMany(asked, CALL),
          answer ->
              answer instanceof List<?> renewals
                  ? renewals.stream().map(r -> "extend many:" + renewal(r)).toList()
                  : List.of("extend many:" + renewal(answer)),
          places);
    }
  }

  record FindByKey(int key) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      return find(
          "find by key", DifferentialModel.key(key), model.row(DifferentialModel.key(key)), model);
    }
  }

  record FindById(Id id) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      LockId wanted = id.of(model);
      return find("find by id", wanted, model.row(wanted), model);
    }
  }

  record RemoveStale(int key) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      LockStore.Row row = model.row(DifferentialModel.key(key));
      return new Question(
          store -> store.store().removeStale(DifferentialModel.key(key), CALL),
          answer -> List.of("remove stale:" + (row == null ? "absent" : answer)),
          rowPlaces("remove stale", model, row));
    }
  }

  record Leave(int key, int waiter) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      return new Question(
          store -> store.store().leave(DifferentialModel.key(key), "waiter-" + waiter, CALL),
          answer -> List.of("leave:" + (answer.equals(true) ? "others" : "none")),
          ticketPlaces("leave", model, model.inspect(DifferentialModel.key(key)).waiters()));
    }
  }

  record Listing(String prefix, @Nullable String after, int limit) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      return new Question(
          store -> store.admin().list(prefix, after, limit, CALL),
          answer -> List.of("list:" + (((List<?>) answer).isEmpty() ? "none" : "some")),
          allRowPlaces("list", model));
    }
  }

  record Inspect(int key) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      return new Question(
          store -> Seen.of(store.admin().inspect(DifferentialModel.key(key), CALL)),
          answer -> {
            Seen seen = (Seen) answer;
            String row = seen.row() == null ? "no row" : "row";
            return List.of("inspect:" + row + (seen.waiters().isEmpty() ? "" : " and waiters"));
          },
          List.of());
    }
  }

  /** An inspection without the numbers of the tickets, of which only the order counts. */
  record Seen(LockStore.@Nullable Row row, long counter, List<String> waiters, long nowMs) {
    static Seen of(LockAdmin.Inspection seen) {
      List<LockAdmin.Ticket> sorted = new ArrayList<>(seen.waiters());
      sorted.sort(Comparator.comparing(LockAdmin.Ticket::number));
      if (!sorted.equals(seen.waiters())) {
        throw new AssertionError("tickets out of order: " + seen.waiters());
      }
      List<String> waiters = new ArrayList<>();
      for (LockAdmin.Ticket ticket : sorted) {
        waiters.add((ticket.fair() ? "fair until " : "unfair until ") + ticket.expiresAtMs());
      }
      return new Seen(seen.row(), seen.counter(), waiters, seen.nowMs());
    }
  }

  /** Breaks with a fence that differs by so much from the stored one. */
  record Break(int key, long wrongBy) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      LockStore.Row row = model.row(DifferentialModel.key(key));
      Fence fence = new Fence(Math.max(0, row == null ? 1 : row.fence().value() + wrongBy));
      List<LockAdmin.Ticket> tickets = model.inspect(DifferentialModel.key(key)).waiters();
      boolean done = row != null && row.fence().equals(fence);
      return new Question(
          store -> store.admin().breakLock(DifferentialModel.key(key), fence, CALL),
          answer -> {
            LockAdmin.Broken broken = (LockAdmin.Broken) answer;
            String wrong = row == null ? "absent" : "wrong fence";
            return List.of(
                "break:" + (broken.wake() ? "done and woken" : broken.done() ? "done" : wrong));
          },
          done ? ticketPlaces("break", model, tickets) : List.of());
    }
  }

  record RaiseFences(long by) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      return new Question(
          store -> store.admin().raiseFences(by, CALL),
          answer -> List.of("raise fences:" + (answer.equals(0L) ? "none" : "some")),
          List.of());
    }
  }

  /** Purges; which of several that expired together has to go first is left open by the rules. */
  record Purge(int limit) implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      int whole = model.fairLimit(limit);
      return new Question(
          store -> store.admin().purge(whole, CALL),
          answer -> List.of("purge:" + (answer.equals(0) ? "none" : "some")),
          allRowPlaces("purge", model));
    }
  }

  record Stats() implements DifferentialOp {
    @Override
    public Question ask(DifferentialModel model) {
      return new Question(
          store -> {
            LockAdmin.Stats stats = store.admin().stats(CALL);
            return List.of(
                stats.liveLocks(), stats.expiredRows(), stats.counters(), stats.waiters());
          },
          answer -> {
            List<?> totals = (List<?>) answer;
            List<String> seen = new ArrayList<>(List.of("stats:asked"));
            List<String> names = List.of("live", "expired", "counters", "waiters");
            for (int i = 0; i < names.size(); i++) {
              if (!totals.get(i).equals(0L)) {
                seen.add("stats:" + names.get(i));
              }
            }
            return seen;
          },
          allRowPlaces("stats", model));
    }
  }

  /** Goes on to the n-th moment from now at which something of a key changes its meaning. */
  record Advance(int key, boolean ofTickets, int n) implements DifferentialOp {
    @Override
    public @Nullable Question ask(DifferentialModel model) {
      List<Long> instants = model.instants(DifferentialModel.key(key), ofTickets);
      if (!instants.isEmpty()) {
        model.step(instants.get(n % instants.size()) - model.nowMs());
      }
      return null;
    }
  }

  /** A clock that is set back, as after a failover. */
  record StepBack(long ms) implements DifferentialOp {
    @Override
    public @Nullable Question ask(DifferentialModel model) {
      model.step(-ms);
      return null;
    }
  }

  private static Question find(
      String what, LockRef ref, LockStore.@Nullable Row row, DifferentialModel model) {
    String found = row == null ? "absent" : model.isLive(row) ? "live" : "dead";
    return new Question(
        store -> store.store().find(ref, CALL).map(seen -> List.of(seen, seen.isLive())),
        answer -> List.of(what + ":" + found),
        rowPlaces("find", model, row));
  }

  private static String renewal(Object answer) {
    if (answer instanceof Renewal renewal) {
      boolean limit = renewal.expiresAtMs() == Liveness.MAX_INSTANT_MS;
      return lower(renewal.status()) + (limit ? " to the limit" : "");
    }
    return "overflow";
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static List<String> rowPlaces(
      String what, DifferentialModel model, LockStore.@Nullable Row row) {
    return row == null
        ? List.of()
        : model.place(what + " at expiry", row.expiresAtMs(), DifferentialModel.ROW_OFFSETS);
  }

  private static List<String> allRowPlaces(String what, DifferentialModel model) {
    return DifferentialModel.KEYS.stream()
        .flatMap(key -> rowPlaces(what, model, model.row(key)).stream())
        .toList();
  }

  private static List<String> ticketPlaces(
      String what, DifferentialModel model, List<LockAdmin.Ticket> tickets) {
    String end = what + " at a ticket's end";
    return tickets.stream()
        .map(LockAdmin.Ticket::expiresAtMs)
        .flatMap(at -> model.place(end, at, DifferentialModel.TICKET_OFFSETS).stream())
        .toList();
  }
}
