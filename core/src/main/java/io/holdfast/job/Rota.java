package io.holdfast.job;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Duty;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import io.holdfast.lease.Trouble;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background duties in turn: every second schedules fire, and one other duty has its turn,
 * mostly admission. So an idle process makes two statements a second.
 */
final class Rota implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(Rota.class);
  private static final Duration TURN = Duration.ofSeconds(1);
  private static final int ADOPT_EVERY = 10;
  private static final int CLEAN_EVERY = 60;
  private static final int CLEANING = 5;
  private static final int FORGETTING = 15;
  private static final Duration FOR_EVER = Duration.ofDays(1);

  /** Cleaning takes at most a fifth of the time; what is left has the next turn. */
  private static final Duration CLEANING_TIME = Duration.ofMillis(200);

  private final JobEngine jobs;
  private final Map<String, Trouble> troubles = new HashMap<>();
  private int turn;
  private boolean isCleaning;
  private long dueNanos;

  Rota(JobEngine jobs) {
    this.jobs = jobs;
    this.dueNanos = Time.after(jobs.time.nanos(), TURN.toMillis());
  }

  @Override
  public int work() {
    if (dueNanos - jobs.time.nanos() > 0) {
      return 0;
    }
    turn++;
    dueNanos = Time.after(jobs.time.nanos(), TURN.toMillis());
    int done = guarded("the duty TICK of jobs", this::tick);
    Jobs.DutyName other = other();
    return done + guarded("the duty " + other + " of jobs", () -> turn(other));
  }

  private int turn(Jobs.DutyName duty) {
    if (duty != Jobs.DutyName.RETAIN) {
      return run(duty);
    }
    isCleaning = false; // also when it fails
    long beganNanos = jobs.time.nanos();
    int cleaned = all(jobs.backend.upkeep()::retain, CLEANING_TIME);
    isCleaning = jobs.time.nanos() - beganNanos >= CLEANING_TIME.toNanos();
    return cleaned;
  }

  private Jobs.DutyName other() {
    if (turn % CLEAN_EVERY == CLEANING || isCleaning && turn % 2 == 0) {
      return Jobs.DutyName.RETAIN;
    }
    if (turn % CLEAN_EVERY == FORGETTING) {
      return Jobs.DutyName.FORGET_WORKERS;
    }
    return turn % ADOPT_EVERY == 0 ? Jobs.DutyName.ADOPT : Jobs.DutyName.SWEEP;
  }

  private int guarded(String what, IntSupplier duty) {
    Trouble trouble = troubles.computeIfAbsent(what, name -> new Trouble(LOG, name));
    try {
      int done = duty.getAsInt();
      trouble.worked();
      return done;
    } catch (JobException e) {
      if (e.code() != ErrorCode.CLOSED) {
        trouble.failed(e);
      }
      return 0;
    }
  }

  /** Runs one duty until nothing of it is left for now. */
  int run(Jobs.DutyName duty) {
    JobUpkeep upkeep = jobs.backend.upkeep();
    return switch (duty) {
      case TICK -> tick();
      case SWEEP -> sweep(upkeep);
      case ADOPT -> all(upkeep::adopt, FOR_EVER);
      case RETAIN -> all(upkeep::retain, FOR_EVER);
      case FORGET_WORKERS -> jobs.call(() -> upkeep.forgetWorkers(jobs.storeCall()));
    };
  }

  private int tick() {
    JobUpkeep upkeep = jobs.backend.upkeep();
    int fired = 0;
    JobUpkeep.Ticked ticked;
    do {
      ticked = jobs.call(() -> upkeep.tick(jobs.storeCall()));
      jobs.spread(ticked.effects());
      fired += ticked.fired();
    } while (ticked.nextIn() != null && ticked.nextIn().isZero() && ticked.fired() > 0);
    Duration nextIn = ticked.nextIn();
    if (nextIn != null && nextIn.compareTo(TURN) < 0) {
      dueNanos = Math.min(dueNanos, Time.after(jobs.time.nanos(), 1 + nextIn.toMillis()));
    }
    return fired;
  }

  private int sweep(JobUpkeep upkeep) {
    JobUpkeep.Swept swept = jobs.call(() -> upkeep.sweep(jobs.storeCall()));
    jobs.spread(swept.effects());
    return swept.admitted();
  }

  /** Chunk after chunk until nothing is left, or for so long. */
  private int all(ToIntFunction<StoreCall> chunk, Duration limit) {
    long untilNanos = Time.after(jobs.time.nanos(), limit.toMillis());
    int all = 0;
    int done;
    do {
      done = jobs.call(() -> chunk.applyAsInt(jobs.storeCall()));
      all += done;
    } while (done > 0 && untilNanos - jobs.time.nanos() > 0 && !jobs.engine.isClosed());
    return all;
  }

  @Override
  public long dueNanos() {
    return dueNanos;
  }
}
