package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialStreamOp.one;
import static io.holdfast.postgres.DifferentialStreamOp.outcome;
import static io.holdfast.postgres.DifferentialStreamSide.CALL;

import io.holdfast.postgres.DifferentialStreamOp.Question;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What operators ask about queues. */
final class DifferentialStreamAdmin {
  private static final int ALL = 1000;

  private DifferentialStreamAdmin() {}

  /** A queue that is good for something in particular, or with a few options of its own. */
  static StreamConfig config(String queue, int a, int b, int c) {
    StreamConfig config = StreamConfig.of(queue);
    config = a % 3 == 2 ? option(option(config, b), c) : profile(config, a, b, c);
    if (c == 22) {
      config = config.labelled("n", one(a, "t", "u"));
    } else if (c == 23) {
      config = config.labelled("m", null);
    }
    return b % 6 == 5 ? config.replacing() : config;
  }

  /** One that is good for two things. */
  static StreamConfig first(String queue, int a, int b, int c) {
    return profile(profile(StreamConfig.of(queue), a, b, c), b, c, a);
  }

  private static StreamConfig profile(StreamConfig config, int a, int b, int c) {
    return switch (b % 8) {
      case 0 ->
          config
              .with(StreamOption.LEASE_TIME, one(a, 2, 1, 5))
              .with(StreamOption.RETRY_LIMIT, one(c, 0, 1, 0, 2))
              .with(StreamOption.RETRY_DELAY, one(c, 500, 0, 1000));
      case 1 ->
          config
              .with(StreamOption.LEASE_TIME, 1)
              .with(StreamOption.DELIVERY_LIMIT, one(a, 1, 2, 1, 3))
              .with(StreamOption.ON_EXHAUSTED, one(c, "deadLetter", "park"));
      case 2 -> config.with(StreamOption.DELAYED_PROCESSING, one(a, 1, 2, 0));
      case 3 -> config.with(StreamOption.WINDOW_BUFFER, one(a, 1, 2, 0));
      case 4 ->
          config
              .with(StreamOption.MAX_WAIT_TIME, one(a, 3, 5))
              .with(StreamOption.MAX_WAIT_ACTION, one(c, "discard", "deadLetter"));
      case 5 ->
          config
              .with(StreamOption.RETENTION_ENABLED, true)
              .with(StreamOption.RETENTION, one(a, 4, 0, 10))
              .with(StreamOption.COMPLETED_RETENTION, one(c, 2, 0, 5));
      case 6 ->
          config
              .with(StreamOption.MAX_SIZE, one(a, 6, 4, 10))
              .with(StreamOption.ABANDONED_GROUP, one(c, 0, 3, 10));
      default -> config.with(StreamOption.DEDUP_WINDOW, one(a, 2, 0, null, 5));
    };
  }

  private static StreamConfig option(StreamConfig config, int n) {
    return switch (n) {
      case 0 -> config.with(StreamOption.LEASE_TIME, null);
      case 1 -> config.with(StreamOption.RETRY_LIMIT, 0);
      case 2 -> config.with(StreamOption.RETRY_DELAY, null);
      case 3 -> config.with(StreamOption.DELIVERY_LIMIT, 1);
      case 4 -> config.with(StreamOption.ON_EXHAUSTED, "park");
      case 5 -> config.with(StreamOption.MAX_SIZE, 5);
      case 6 -> config.with(StreamOption.DELAYED_PROCESSING, 2);
      case 7 -> config.with(StreamOption.WINDOW_BUFFER, 2);
      case 8 -> config.with(StreamOption.MAX_WAIT_TIME, 4);
      case 9 -> config.with(StreamOption.MAX_WAIT_ACTION, "deadLetter");
      case 10 -> config.with(StreamOption.RETENTION, 5);
      case 11 -> config.with(StreamOption.COMPLETED_RETENTION, 1);
      case 12 -> config.with(StreamOption.RETENTION_ENABLED, true);
      case 13 -> config.with(StreamOption.ABANDONED_GROUP, 5);
      case 14 -> config.with(StreamOption.DEDUP_WINDOW, 0);
      case 15 -> config.with(StreamOption.ENCRYPTION_ENABLED, true);
      case 16 -> config.with(StreamOption.UNPARTITIONED, "spread");
      case 17 -> config.with(StreamOption.TTL, -1);
      case 18 -> config.with(StreamOption.PRIORITY, 7);
      case 19 -> config.with(StreamOption.DEAD_LETTER_QUEUE, true);
      case 20 -> config.with(StreamOption.DLQ_AFTER_MAX_RETRIES, true);
      case 21 -> config.with(StreamOption.DELAYED_PROCESSING, 0);
      case 22 -> config.with(StreamOption.WINDOW_BUFFER, null);
      default -> config.with(StreamOption.MAX_SIZE, null);
    };
  }

  static Question configure(DifferentialStreamOp op, DifferentialStreamModel model) {
    StreamConfig config = config(op.queue(), op.a(), op.b(), op.c());
    boolean isNew = model.info(op.queue()).isEmpty();
    return new Question(
        "configure " + config,
        side -> side.store.catalog().configure(config, CALL),
        outcome("configure", answer -> isNew ? "made" : "changed"));
  }

  static Question delete(DifferentialStreamOp op, DifferentialStreamModel model) {
    String queue = op.c() % 3 == 2 ? "nowhere" : op.queue();
    return new Question(
        "delete queue " + queue,
        side -> side.store.catalog().delete(queue, CALL),
        outcome("delete queue", answer -> answer.equals(true) ? "done" : "absent"));
  }

  static Question find(DifferentialStreamOp op, DifferentialStreamModel model) {
    String queue = op.c() % 4 == 3 ? "nowhere" : op.queue();
    return new Question(
        "find queue " + queue,
        side -> side.store.catalog().find(queue, CALL),
        outcome("find queue", answer -> ((Optional<?>) answer).isPresent() ? "queue" : "nothing"));
  }

  static Question list(DifferentialStreamOp op, DifferentialStreamModel model) {
    String after = one(op.a(), null, null, "n.t", "n.u");
    int limit = one(op.b(), ALL, 1);
    return new Question(
        "list queues after " + after + " up to " + limit,
        side -> side.store.catalog().list(after, limit, CALL),
        outcome("list queues", DifferentialStreamAdmin::amount));
  }

  static Question partitions(DifferentialStreamOp op, DifferentialStreamModel model) {
    String queue = op.c() % 8 == 7 ? "nowhere" : op.queue();
    String after = one(op.a(), null, null, "Default", "p");
    int limit = one(op.b(), ALL, 1);
    return new Question(
        "partitions of " + queue + " after " + after + " up to " + limit,
        side -> side.store.catalog().partitions(queue, after, limit, CALL),
        outcome("partitions", DifferentialStreamAdmin::amount));
  }

  static String amount(Object answer) {
    return ((List<?>) answer).isEmpty() ? "none" : "some";
  }

  static Question pause(DifferentialStreamOp op, DifferentialStreamModel model) {
    return pause(op, op.queueOrAll(), true);
  }

  /** Goes where something is paused, mostly. */
  static Question resume(DifferentialStreamOp op, DifferentialStreamModel model) {
    if (op.c() < 22) {
      if (model.memory.store.catalog().pausedAll(CALL).push()) {
        return pause(false, null, false);
      } else if (model.memory.store.catalog().pausedAll(CALL).pop()) {
        return pause(true, null, false);
      }
      for (String queue : model.queues()) {
        if (model.info(queue).orElseThrow().paused().push()) {
          return pause(false, queue, false);
        } else if (model.info(queue).orElseThrow().paused().pop()) {
          return pause(true, queue, false);
        }
      }
    }
    return pause(op, op.queueOrAll(), false);
  }

  private static Question pause(DifferentialStreamOp op, @Nullable String queue, boolean paused) {
    return pause(op.a() % 2 == 1, queue, paused);
  }

  private static Question pause(boolean isPop, @Nullable String queue, boolean isPaused) {
    String what = (isPaused ? "pause " : "resume ") + (isPop ? "pop" : "push");
    return new Question(
        what + " of " + queue,
        side -> {
          if (isPop) {
            side.store.catalog().pausePop(queue, isPaused, CALL);
          } else {
            side.store.catalog().pausePush(queue, isPaused, CALL);
          }
          return "done";
        },
        outcome(what, answer -> queue == null ? "all" : "one"));
  }

  private static boolean isPaused(DifferentialStreamModel model) {
    StreamInfo.Paused paused = model.memory.store.catalog().pausedAll(CALL);
    return paused.push() || paused.pop();
  }

  static Question pausedAll(DifferentialStreamOp op, DifferentialStreamModel model) {
    if (op.c() < 12 && !isPaused(model)) {
      return pause(op.a() % 2 == 1, null, true);
    }
    return new Question(
        "paused all",
        side -> side.store.catalog().pausedAll(CALL),
        outcome("paused all", answer -> answer.toString().contains("true") ? "some" : "none"));
  }
}
