package io.holdfast.postgres;

import io.holdfast.job.JobException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a random sequence: its kind, and a number to choose with. What it stands for is
 * settled by what is stored when its turn comes, so that it keeps its meaning when operations
 * before it are taken out.
 */
record DifferentialJobOp(Kind kind, int seed) {
  private static final int SEEDS = 1_000_000;

  /**
   * A question to a store.
   *
   * @param what says it in words, with names for ids and tokens
   * @param put asks it
   * @param outcome names the kinds of an answer of the memory store, after the fact
   * @param places where now is relative to the boundaries that matter
   */
  record Question(
      String what,
      Function<DifferentialJobSide, Object> put,
      Function<Object, List<String>> outcome,
      List<String> places) {
    Question(
        String what,
        Function<DifferentialJobSide, Object> put,
        Function<Object, List<String>> outcome) {
      this(what, put, outcome, List.of());
    }

    Object answer(DifferentialJobSide side) {
      try {
        return put.apply(side);
      } catch (JobException e) {
        return e;
      }
    }

    Question at(String place) {
      return new Question(what + ", " + place, put, outcome, List.of(place));
    }
  }

  /** Settles what to ask. */
  interface Asking
      extends BiFunction<DifferentialJobDice, DifferentialJobModel, @Nullable Question> {}

  /** What there is to do. */
  enum Kind {
    ENQUEUE(60, DifferentialJobHot::enqueue),
    RESERVE(56, DifferentialJobHot::reserve),
    SETTLE(70, DifferentialJobSettles::settle),
    NEAR(84, DifferentialJobNear::near),
    ADVANCE(20, DifferentialJobNear::advance),
    EXCHANGE(34, DifferentialJobHot::exchange),
    EXTEND(20, DifferentialJobSettles::extend),
    BEAT(22, DifferentialJobSettles::beat),
    IS_ACKED(8, DifferentialJobSettles::isAcked),
    CANCEL(38, DifferentialJobAdmin::cancel),
    REQUEUE(20, DifferentialJobAdmin::requeue),
    REQUEUE_DEAD(34, DifferentialJobAdmin::requeueDead),
    PURGE_DEAD(16, DifferentialJobAdmin::purgeDead),
    PAUSE(6, DifferentialJobAdmin::pause),
    RESUME(9, DifferentialJobAdmin::resume),
    QUEUES(7, DifferentialJobAdmin::queues),
    STATS(8, DifferentialJobAdmin::stats),
    WORKERS(3, DifferentialJobAdmin::workers),
    CONFIGURE(16, DifferentialJobDuties::configure),
    ADMIT(22, DifferentialJobDuties::admit),
    SWEEP(14, DifferentialJobDuties::sweep),
    TICK(12, DifferentialJobDuties::tick),
    ADOPT(2, DifferentialJobDuties::adopt),
    RETAIN(6, DifferentialJobDuties::retain),
    FORGET(3, DifferentialJobDuties::forget),
    PUT(9, DifferentialJobPlans::put),
    DELETE(3, DifferentialJobPlans::delete),
    ENABLE(7, DifferentialJobPlans::enable),
    TRIGGER(6, DifferentialJobPlans::trigger),
    PLANS(4, DifferentialJobPlans::list),
    FIND(10, DifferentialJobLook::find),
    LIST(70, DifferentialJobLook::list),
    TRACE(4, DifferentialJobLook::trace),
    FACTS(16, DifferentialJobLook::facts);

    private final int weight;
    private final Asking ask;

    Kind(int weight, Asking ask) {
      this.weight = weight;
      this.ask = ask;
    }
  }

  /** Settles what to ask of both stores; null when only the clock moves. */
  @Nullable Question ask(DifferentialJobModel model) {
    return kind.ask.apply(new DifferentialJobDice(seed), model);
  }

  /** Names an answer that may be an error. */
  static Function<Object, List<String>> outcome(String what, Function<Object, String> kind) {
    return answer ->
        List.of(
            what
                + ":"
                + (answer instanceof JobException e ? e.error().name() : kind.apply(answer)));
  }

  static Arbitrary<List<DifferentialJobOp>> sequences(int longest) {
    List<Kind> kinds = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      kinds.addAll(Collections.nCopies(kind.weight, kind));
    }
    Arbitrary<Integer> seed =
        Arbitraries.integers()
            .between(0, SEEDS)
            .withDistribution(RandomDistribution.uniform())
            .edgeCases(config -> config.none());
    return Combinators.combine(Arbitraries.of(kinds), seed)
        .as(DifferentialJobOp::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(longest)
        .withSizeDistribution(RandomDistribution.uniform());
  }
}
