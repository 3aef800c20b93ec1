package io.holdfast.postgres;

import io.holdfast.postgres.StreamStage.Actor;
import io.holdfast.postgres.StreamStage.Where;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Every way in which two calls can go past each other. A schedule says who makes the next step,
 * from the beginning to the end; whoever is blocked makes none. The first schedule lets one actor
 * run through; each further one goes back to the last choice that has an alternative and takes it,
 * until there is none. With a bound, an actor that could go on is interrupted so often at most: two
 * interruptions already stop each of them at each of its points while the other is at each of its
 * own.
 */
final class StreamSchedules {
  private final StreamStage stage;
  private final int interruptions;
  private final List<Choice> path = new ArrayList<>();
  private int count;

  StreamSchedules(StreamStage stage, int interruptions) {
    this.stage = stage;
    this.interruptions = interruptions;
  }

  /** Two calls over a situation that is made anew for every schedule. */
  interface Play {
    /** Makes the situation and sets up the actors. */
    void set(int number) throws Exception;

    /** Something that happens between any two steps. */
    default void between() throws Exception {}

    /** Passes if all is as it should be when both have ended. */
    void check() throws Exception;
  }

  /** Who could have made a step, and which of them did. */
  private static final class Choice {
    final List<Actor> able;
    int taken;

    Choice(List<Actor> able) {
      this.able = able;
    }
  }

  /** A schedule after which something was wrong. */
  static final class Wrong extends AssertionError {
    private static final long serialVersionUID = 1L;

    Wrong(String schedule, Throwable cause) {
      super(schedule + "\n" + cause.getMessage(), cause);
    }
  }

  /** Runs them all and answers how many there were; ends at the first that goes wrong. */
  int run(Play play) throws SQLException {
    do {
      count++;
      StringBuilder schedule = new StringBuilder("schedule " + count + ":");
      try {
        play.set(count);
        perform(play, schedule);
        play.check();
      } catch (Exception | AssertionError e) {
        stage.open();
        throw new Wrong(schedule.toString(), e);
      }
    } while (hasNext());
    return count;
  }

  private void perform(Play play, StringBuilder schedule) throws Exception {
    int depth = 0;
    int left = interruptions;
    Actor last = stage.one;
    List<Actor> able = List.of(stage.one, stage.other);
    while (!able.isEmpty()) {
      if (depth == path.size()) {
        path.add(new Choice(able));
      }
      Choice choice = path.get(depth++);
      if (!choice.able.equals(able)) {
        throw new AssertionError("the same steps led elsewhere: " + choice.able + ", not " + able);
      }
      Actor actor = able.get(choice.taken);
      if (actor != last && last.where() == Where.POINT) {
        left--;
      }
      stage.step(actor);
      schedule.append("\n  ").append(actor);
      play.between();
      last = actor;
      able = able(last, left > 0);
    }
    for (Actor actor : List.of(stage.one, stage.other)) {
      if (actor.where() != Where.DONE) {
        throw new AssertionError("they wait for each other: " + stage);
      }
    }
  }

  /** Who can make a step: whoever made the last one first. */
  private List<Actor> able(Actor last, boolean mayInterrupt) {
    Actor next = last == stage.one ? stage.other : stage.one;
    List<Actor> able = new ArrayList<>();
    if (isAble(last)) {
      able.add(last);
    }
    if (isAble(next) && (able.isEmpty() || mayInterrupt)) {
      able.add(next);
    }
    return able;
  }

  private static boolean isAble(Actor actor) {
    return actor.where() == Where.WINGS || actor.where() == Where.POINT;
  }

  /** Goes back to the last choice with an alternative. */
  private boolean hasNext() {
    while (!path.isEmpty()) {
      Choice last = path.get(path.size() - 1);
      if (last.taken + 1 < last.able.size()) {
        last.taken++;
        return true;
      }
      path.remove(path.size() - 1);
    }
    return false;
  }
}
