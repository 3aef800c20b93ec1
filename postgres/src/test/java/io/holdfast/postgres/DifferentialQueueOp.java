package io.holdfast.postgres;

import io.holdfast.queue.QueueException;
import io.holdfast.queue.StoredItem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a random sequence: its kind, a queue and three numbers to choose with. What they
 * stand for is settled by what is stored when its turn comes, so that it keeps its meaning when
 * operations before it are taken out. Smaller numbers are plainer choices: a failing sequence is
 * shrunk to them.
 */
record DifferentialQueueOp(Kind kind, int place, int a, int b, int c) {
  private static final List<Integer> PLACES = List.of(0, 0, 0, 0, 1, 1, 2);
  private static final Set<Kind> MAKE_IDS =
      EnumSet.of(
          Kind.PRODUCE,
          Kind.RETRY,
          Kind.SWEEP_SCHEDULED,
          Kind.SWEEP_ACTIONS,
          Kind.TAKE_KEPT,
          Kind.TAKE_FORGED,
          Kind.IMPORT,
          Kind.REDRIVE);

  /**
   * A question to a store.
   *
   * @param what says it in words, with names for ids
   * @param put asks it
   * @param outcome names the kinds of an answer of the memory store, after the fact
   * @param places where now is relative to the boundaries that matter
   */
  record Question(
      String what,
      Function<DifferentialQueueSide, Object> put,
      Function<Object, List<String>> outcome,
      List<String> places) {
    Question(
        String what,
        Function<DifferentialQueueSide, Object> put,
        Function<Object, List<String>> outcome) {
      this(what, put, outcome, List.of());
    }

    Object answer(DifferentialQueueSide side) {
      try {
        return put.apply(side);
      } catch (QueueException e) {
        return e;
      }
    }
  }

  /** What there is to do; some change nothing but the clock. */
  enum Kind {
    PRODUCE(28, DifferentialQueueHot::produce),
    LEASE(52, DifferentialQueueHot::lease),
    ADVANCE(34, DifferentialQueueOp::advance),
    COMPLETE(20, DifferentialQueueHot::complete),
    RETRY(34, DifferentialQueueHot::retry),
    EXTEND(24, DifferentialQueueHot::extend),
    HAND_BACK(4, DifferentialQueueHot::handBack),
    SWEEP_SCHEDULED(12, DifferentialQueueSweep::sweepScheduled),
    SWEEP_ACTIONS(20, DifferentialQueueSweep::sweepActions),
    SCAN(14, DifferentialQueueSweep::scan),
    TAKE_KEPT(28, DifferentialQueueSweep::takeKept),
    TAKE_FORGED(22, DifferentialQueueSweep::takeForged),
    INFO(5, DifferentialQueueSweep::lifecycleInfo),
    INFOS(3, DifferentialQueueSweep::lifecycleInfos),
    PROBE(5, DifferentialQueueSweep::probe),
    LIST(5, DifferentialQueueAdmin::list),
    LIST_SCHEDULED(5, DifferentialQueueAdmin::listScheduled),
    STATS(5, DifferentialQueueAdmin::stats),
    COUNT_READY(4, DifferentialQueueAdmin::countReady),
    IMPORT(10, DifferentialQueueAdmin::importItems),
    DELETE(4, DifferentialQueueAdmin::delete),
    CLEAR(12, DifferentialQueueAdmin::clear),
    REDRIVE(8, DifferentialQueueAdmin::redrive),
    ADD(12, DifferentialQueueCatalog::add),
    UPDATE(9, DifferentialQueueCatalog::update),
    GET(5, DifferentialQueueCatalog::get),
    LIST_QUEUES(3, DifferentialQueueCatalog::list),
    DELETE_QUEUE(7, DifferentialQueueCatalog::delete),
    PAUSE(5, DifferentialQueueCatalog::pause),
    RESUME(6, DifferentialQueueCatalog::resume),
    STEP_BACK(1, DifferentialQueueOp::stepBack);

    private final int weight;
    private final BiFunction<DifferentialQueueOp, DifferentialQueueModel, @Nullable Question> ask;

    Kind(
        int weight,
        BiFunction<DifferentialQueueOp, DifferentialQueueModel, @Nullable Question> ask) {
      this.weight = weight;
      this.ask = ask;
    }
  }

  /** Settles what to ask of both stores; null when only the clock moves. */
  @Nullable Question ask(DifferentialQueueModel model) {
    return kind.ask.apply(this, model);
  }

  String queue() {
    return DifferentialQueueModel.QUEUES.get(place);
  }

  int partition() {
    return place == DifferentialQueueModel.WIDE ? c % 2 : 0;
  }

  /** The same where something fits, if that is the case anywhere and nowhere here. */
  DifferentialQueueOp where(DifferentialQueueModel model, Predicate<StoredItem> fits) {
    if (model.items(queue(), partition()).stream().noneMatch(fits)) {
      for (int other = 0; other < DifferentialQueueModel.QUEUES.size(); other++) {
        DifferentialQueueOp there = new DifferentialQueueOp(kind, other, a, b, c);
        if (model.items(there.queue(), there.partition()).stream().anyMatch(fits)) {
          return there;
        }
      }
    }
    return this;
  }

  /** Whether items may get new ids. */
  boolean makesIds() {
    return MAKE_IDS.contains(kind);
  }

  @SafeVarargs
  static <T> T one(int n, T... values) {
    return values[n % values.length];
  }

  private static @Nullable Question advance(DifferentialQueueOp op, DifferentialQueueModel model) {
    boolean ofLeases = op.b % 4 < 2;
    DifferentialQueueOp there = ofLeases ? op.where(model, StoredItem::isLeased) : op;
    List<Instant> instants = model.instants(there.queue(), ofLeases);
    long step =
        op.b % 4 == 3 || instants.isEmpty()
            ? one(op.a, 1L, 50L, 100L, 700L)
            : instants.get(op.a % Math.min(instants.size(), 12)).toEpochMilli()
                - model.now().toEpochMilli();
    model.advance(Math.max(1, step));
    return null;
  }

  /**
   * What had expired may be alive again. Claims and sweeps that had passed it find it after a
   * while, or at once after a reload, which is what both stores get.
   */
  private static Question stepBack(DifferentialQueueOp op, DifferentialQueueModel model) {
    model.stepBack(one(op.a, 1L, 200L, 2000L));
    return new Question("step back", DifferentialQueueSide::reload, answer -> List.of());
  }

  static Arbitrary<List<DifferentialQueueOp>> sequences(int longest) {
    List<Kind> kinds = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      kinds.addAll(Collections.nCopies(kind.weight, kind));
    }
    Arbitrary<Integer> number = Arbitraries.of(IntStream.range(0, 24).boxed().toList());
    return Combinators.combine(
            Arbitraries.of(kinds), Arbitraries.of(PLACES), number, number, number)
        .as(DifferentialQueueOp::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(longest)
        .withSizeDistribution(RandomDistribution.uniform());
  }
}
