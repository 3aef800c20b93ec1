package io.holdfast.postgres;

import io.holdfast.stream.CursorKey;
import io.holdfast.stream.StreamException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a random sequence: its kind, a cursor and three numbers to choose with. What
 * they stand for is settled by what is stored when its turn comes, so that it keeps its meaning
 * when operations before it are taken out. Smaller numbers are plainer choices: a failing sequence
 * is shrunk to them.
 */
record DifferentialStreamOp(Kind kind, int place, int a, int b, int c) {
  private static final List<Integer> PLACES = places();

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
      Function<DifferentialStreamSide, Object> put,
      Function<Object, List<String>> outcome,
      List<String> places) {
    Question(
        String what,
        Function<DifferentialStreamSide, Object> put,
        Function<Object, List<String>> outcome) {
      this(what, put, outcome, List.of());
    }

    Object answer(DifferentialStreamSide side) {
      try {
        return put.apply(side);
      } catch (StreamException e) {
        return e;
      }
    }

    Question at(String place) {
      return new Question(what + " at " + place, put, outcome, List.of(place));
    }
  }

  /** What there is to do. */
  enum Kind {
    PUSH(44, DifferentialStreamHot::push),
    POP(60, DifferentialStreamHot::pop),
    ACK(94, DifferentialStreamAcks::ack),
    NEAR(56, DifferentialStreamNear::near),
    ADVANCE(14, DifferentialStreamNear::advance),
    POP_LABELS(20, DifferentialStreamHot::popByLabels),
    POP_MANY(6, DifferentialStreamHot::popMany),
    EXTEND(12, DifferentialStreamHot::extend),
    RELEASE(16, DifferentialStreamHot::release),
    ACK_POP(7, DifferentialStreamAcks::ackAndPop),
    TRANSACT(24, DifferentialStreamAcks::transact),
    CONFIGURE(18, DifferentialStreamAdmin::configure),
    DELETE_QUEUE(2, DifferentialStreamAdmin::delete),
    FIND_QUEUE(3, DifferentialStreamAdmin::find),
    LIST_QUEUES(2, DifferentialStreamAdmin::list),
    PARTITIONS(2, DifferentialStreamAdmin::partitions),
    PAUSE(6, DifferentialStreamAdmin::pause),
    RESUME(14, DifferentialStreamAdmin::resume),
    PAUSED_ALL(3, DifferentialStreamAdmin::pausedAll),
    SEEK(12, DifferentialStreamGroups::seek),
    SEED(2, DifferentialStreamGroups::seed),
    DELETE_GROUP(6, DifferentialStreamGroups::delete),
    START_AT(3, DifferentialStreamGroups::startAt),
    GROUPS(4, DifferentialStreamGroups::groups),
    CURSORS(5, DifferentialStreamGroups::cursors),
    PARK(6, DifferentialStreamGroups::park),
    UNPARK(10, DifferentialStreamGroups::unpark),
    REVOKE(7, DifferentialStreamGroups::revoke),
    DEAD_LIST(8, DifferentialStreamDead::list),
    DEAD_GET(4, DifferentialStreamDead::get),
    DEAD_PURGE(3, DifferentialStreamDead::purge),
    REDRIVE(14, DifferentialStreamDead::redrive),
    MESSAGES(9, DifferentialStreamLook::messages),
    MESSAGE(4, DifferentialStreamLook::message),
    FIND(3, DifferentialStreamLook::find),
    BY_TRACE(3, DifferentialStreamLook::byTrace),
    DELETE_MESSAGE(5, DifferentialStreamLook::delete),
    RECORD(3, DifferentialStreamLook::record),
    TRACES(3, DifferentialStreamLook::traces),
    TRACES_NAMED(5, DifferentialStreamLook::tracesNamed),
    DEPTHS(5, DifferentialStreamLook::depths),
    LEASES(3, DifferentialStreamLook::leases),
    UTILIZATION(5, DifferentialStreamLook::utilization),
    STUCK(6, DifferentialStreamLook::stuck),
    DROPPED(4, DifferentialStreamLook::dropped),
    EXPLAIN(10, DifferentialStreamLook::explain),
    TALLY(6, DifferentialStreamLook::tally),
    RETAIN(8, DifferentialStreamNear::retain),
    UPKEEP_SEED(10, DifferentialStreamNear::seed),
    PURGE(2, DifferentialStreamNear::purge),
    COUNT(2, DifferentialStreamNear::count);

    private final int weight;
    private final BiFunction<DifferentialStreamOp, DifferentialStreamModel, @Nullable Question> ask;

    Kind(
        int weight,
        BiFunction<DifferentialStreamOp, DifferentialStreamModel, @Nullable Question> ask) {
      this.weight = weight;
      this.ask = ask;
    }
  }

  /** Settles what to ask of both stores; null when only the clock moves. */
  @Nullable Question ask(DifferentialStreamModel model) {
    return kind.ask.apply(this, model);
  }

  /** Whether it is about dead letters, which have to have names. */
  boolean isAboutDead() {
    return kind == Kind.DEAD_LIST
        || kind == Kind.DEAD_GET
        || kind == Kind.DEAD_PURGE
        || kind == Kind.REDRIVE;
  }

  /** The same about that cursor. */
  DifferentialStreamOp in(CursorKey cursor) {
    int there =
        DifferentialStreamModel.QUEUES.indexOf(cursor.queue())
            + 2 * DifferentialStreamModel.PARTITIONS.indexOf(cursor.partition())
            + 6 * DifferentialStreamModel.GROUPS.indexOf(cursor.group());
    return new DifferentialStreamOp(kind, there, a, b, c);
  }

  String queue() {
    return DifferentialStreamModel.QUEUES.get(place % 2);
  }

  String otherQueue() {
    return DifferentialStreamModel.QUEUES.get(1 - place % 2);
  }

  String partition() {
    return partition(0);
  }

  String partition(int further) {
    return DifferentialStreamModel.PARTITIONS.get((place / 2 + further) % 3);
  }

  String group() {
    return DifferentialStreamModel.GROUPS.get(place / 6);
  }

  CursorKey cursor() {
    return new CursorKey(queue(), partition(), group());
  }

  /** The same, or now and then with a name that nobody has. */
  CursorKey cursorOrNone() {
    return new CursorKey(
        c == 21 ? "nowhere" : queue(),
        c == 22 ? "nolane" : partition(),
        c == 23 ? "nobody" : group());
  }

  /** The queue, or now and then one that is not there, or null for all. */
  @Nullable String queueOrAll() {
    return c >= 22 ? "nowhere" : c % 3 == 2 ? null : queue();
  }

  @SafeVarargs
  static <T> T one(int n, T... values) {
    return values[n % values.length];
  }

  /** Names an answer that may be an error. */
  static Function<Object, List<String>> outcome(String what, Function<Object, String> kind) {
    return answer -> List.of(what + ":" + kindOf(answer, kind));
  }

  static String kindOf(Object answer, Function<Object, String> kind) {
    return answer instanceof StreamException e ? e.error().name() : kind.apply(answer);
  }

  private static List<Integer> places() {
    List<Integer> places = new ArrayList<>();
    for (int place = 0; place < 18; place++) {
      int weight = one(place % 2, 5, 2) * one(place / 2 % 3, 3, 2, 1) * one(place / 6, 4, 3, 1);
      places.addAll(Collections.nCopies(weight, place));
    }
    return places;
  }

  static Arbitrary<List<DifferentialStreamOp>> sequences(int longest) {
    List<Kind> kinds = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      kinds.addAll(Collections.nCopies(kind.weight, kind));
    }
    Arbitrary<Integer> number = Arbitraries.of(IntStream.range(0, 24).boxed().toList());
    return Combinators.combine(
            Arbitraries.of(kinds), Arbitraries.of(PLACES), number, number, number)
        .as(DifferentialStreamOp::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(longest)
        .withSizeDistribution(RandomDistribution.uniform());
  }
}
