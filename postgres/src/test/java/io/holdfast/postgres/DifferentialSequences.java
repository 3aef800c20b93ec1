package io.holdfast.postgres;

import io.holdfast.lease.Fence;
import io.holdfast.postgres.DifferentialOp.Id;
import io.holdfast.postgres.DifferentialOp.Ttl;
import io.holdfast.postgres.DifferentialOp.Waiter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import org.jspecify.annotations.Nullable;

/**
 * Random sequences of operations. Each operation is made of the same few choices, of which it uses
 * what it needs: that shrinks many times faster than a choice among generators. What comes first in
 * a list is what a failing sequence is shrunk to.
 */
final class DifferentialSequences {
  /** Most happens to one key, so that much happens to it. */
  private static final List<Integer> KEYS = List.of(0, 0, 0, 0, 0, 0, 1, 2, 3);

  private static final List<Waiter> WAITERS = waiters();
  private static final int NO_WAITERS = WAITERS.size() / 2;
  private static final List<Id> IDS = ids();
  private static final List<Ttl> TTLS =
      Stream.of(
              List.of(Ttl.values()),
              List.of(Ttl.MS_1, Ttl.MS_500, Ttl.MS_1500, Ttl.TO_THE_LIMIT, Ttl.BEYOND))
          .flatMap(List::stream)
          .toList();

  private DifferentialSequences() {}

  static Arbitrary<List<DifferentialOp>> upTo(int longest) {
    List<Kind> kinds = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      kinds.addAll(Collections.nCopies(kind.weight, kind));
    }
    return Combinators.combine(
            Arbitraries.of(kinds),
            Arbitraries.of(KEYS),
            Arbitraries.of(numbers(IDS.size())),
            Arbitraries.of(numbers(TTLS.size())),
            Arbitraries.of(numbers(NO_WAITERS + WAITERS.size())),
            Arbitraries.of(numbers(24)))
        .as((kind, key, id, ttl, waiter, n) -> kind.make.apply(Choices.of(key, id, ttl, waiter, n)))
        .list()
        .ofMinSize(1)
        .ofMaxSize(longest)
        .withSizeDistribution(RandomDistribution.uniform());
  }

  /** What an operation may be made of; {@code n} is for whatever else it has to choose. */
  private record Choices(int key, Id id, Ttl ttl, @Nullable Waiter waiter, int n) {
    static Choices of(int key, int id, int ttl, int waiter, int n) {
      int place = waiter - NO_WAITERS;
      return new Choices(key, IDS.get(id), TTLS.get(ttl), place < 0 ? null : WAITERS.get(place), n);
    }

    /** An id for those who should hold something: mostly that of the key. */
    Id held() {
      return n % 4 == 0 ? id : new Id(Id.Kind.HOLDER, key);
    }

    @SafeVarargs
    final <T> T one(T... values) {
      return values[n % values.length];
    }
  }

  private enum Kind {
    ACQUIRE(34, c -> new DifferentialOp.Acquire(c.key, c.id, c.ttl, c.waiter)),
    ADVANCE(32, c -> new DifferentialOp.Advance(c.key, c.n >= 12, c.n % 12)),
    RELEASE(14, c -> new DifferentialOp.Release(c.held(), c.one(true, false))),
    EXTEND(10, c -> new DifferentialOp.Extend(c.held(), c.ttl)),
    EXTEND_MANY(6, c -> new DifferentialOp.ExtendMany(extensions(c))),
    FIND_BY_KEY(4, c -> new DifferentialOp.FindByKey(c.key)),
    FIND_BY_ID(4, c -> new DifferentialOp.FindById(c.held())),
    REMOVE_STALE(8, c -> new DifferentialOp.RemoveStale(c.key)),
    LEAVE(6, c -> new DifferentialOp.Leave(c.key, c.n % DifferentialModel.WAITERS)),
    BREAK(14, c -> new DifferentialOp.Break(c.key, c.one(0L, 0L, 0L, 1L, -1L))),
    PURGE(4, c -> new DifferentialOp.Purge(c.one(1000, 1, 2))),
    INSPECT(4, c -> new DifferentialOp.Inspect(c.key)),
    STATS(4, c -> new DifferentialOp.Stats()),
    LIST(3, DifferentialSequences::listing),
    RAISE_FENCES(2, c -> new DifferentialOp.RaiseFences(raise(c))),
    STEP_BACK(1, c -> new DifferentialOp.StepBack(c.one(1L, 1000L, 2000L)));

    private final int weight;
    private final Function<Choices, DifferentialOp> make;

    Kind(int weight, Function<Choices, DifferentialOp> make) {
      this.weight = weight;
      this.make = make;
    }
  }

  /** The chosen id and those of a few keys besides. */
  private static List<DifferentialOp.Extend> extensions(Choices c) {
    List<DifferentialOp.Extend> each = new ArrayList<>();
    each.add(new DifferentialOp.Extend(c.held(), c.ttl));
    for (int key = 0; key < c.n % 3; key++) {
      each.add(new DifferentialOp.Extend(new Id(Id.Kind.HOLDER, key), Ttl.MS_1500));
    }
    return each;
  }

  private static DifferentialOp listing(Choices c) {
    String after = c.n < 12 ? null : DifferentialModel.key(c.key).text();
    String prefix = c.n == 0 ? "" : DifferentialModel.PREFIX + c.one("", "a", "ab", "b");
    return new DifferentialOp.Listing(prefix, after, c.one(1000, 1, 2));
  }

  /** By a little, or by so much that few grants are left, or none. */
  private static long raise(Choices c) {
    return c.one(1L, 5L, Fence.WARN, Fence.MAX - 3, Fence.MAX);
  }

  private static List<Id> ids() {
    List<Id> ids = new ArrayList<>();
    numbers(DifferentialModel.IDS).forEach(n -> ids.add(new Id(Id.Kind.POOL, n)));
    KEYS.forEach(n -> ids.add(new Id(Id.Kind.HOLDER, n)));
    ids.addAll(Collections.nCopies(3, new Id(Id.Kind.NEW, 0)));
    return ids;
  }

  private static List<Waiter> waiters() {
    List<Waiter> waiters = new ArrayList<>();
    for (boolean fair : List.of(true, false, true)) {
      for (long ttlMs : List.of(6000L, 2500L, 800L, 2500L, 30L)) {
        numbers(DifferentialModel.WAITERS).forEach(n -> waiters.add(new Waiter(n, fair, ttlMs)));
      }
    }
    return waiters;
  }

  private static List<Integer> numbers(int below) {
    return IntStream.range(0, below).boxed().toList();
  }
}
