package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialQueueOp.one;
import static io.holdfast.postgres.DifferentialQueueSide.CALL;

import io.holdfast.postgres.DifferentialQueueOp.Question;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Pause;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueUpdate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What is asked of the catalogue. */
final class DifferentialQueueCatalog {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration LONGER = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofSeconds(3);
  private static final Duration TOO_LONG = Duration.ofSeconds(60);

  private DifferentialQueueCatalog() {}

  /** A queue as most sequences begin with it. */
  static NewQueue first(int place) {
    NewQueue queue =
        NewQueue.named(DifferentialQueueModel.QUEUES.get(place)).leaseFor(LONGER).expireAfter(LONG);
    return switch (place) {
      case 0 -> queue.deadQueue("dead").maxAttempts(2);
      case DifferentialQueueModel.WIDE -> queue.partitions(2).maxAttempts(1);
      default -> queue;
    };
  }

  static Question add(DifferentialQueueOp op, DifferentialQueueModel model) {
    int place = op.place();
    for (int i = 0; op.b() % 8 != 7 && i < DifferentialQueueModel.QUEUES.size(); i++) {
      place = model.info(DifferentialQueueModel.QUEUES.get(i)).isEmpty() ? i : place;
    }
    NewQueue plain = first(place);
    NewQueue queue =
        switch (op.a() % 8) {
          case 1 -> plain.inNamespace("other");
          case 2 -> plain.deadQueue("");
          case 3 -> plain.leaseFor(TOO_LONG);
          case 4 -> plain.deadQueue(one(op.b(), plain.name(), "nosuch", "no such"));
          case 5 -> plain.maxAttempts(one(op.b(), 1, 3, -1));
          default -> plain;
        };
    boolean exists = model.info(queue.name()).isPresent();
    return new Question(
        "add " + queue,
        side -> side.created(side.backend.catalog().add(queue, CALL)),
        answer ->
            List.of("add:" + (answer instanceof QueueInfo ? "added" : exists ? "exists" : "bad")));
  }

  static Question update(DifferentialQueueOp op, DifferentialQueueModel model) {
    QueueUpdate update = change(op);
    boolean exists = model.info(op.queue()).isPresent();
    return new Question(
        "update " + op.queue() + " " + update,
        side -> side.changed(side.backend.catalog().update(op.queue(), update, CALL)),
        answer ->
            List.of(
                "update:"
                    + (answer instanceof QueueInfo ? "changed" : exists ? "bad" : "no queue")));
  }

  private static QueueUpdate change(DifferentialQueueOp op) {
    QueueUpdate none = QueueUpdate.NOTHING;
    boolean isWide = op.place() == DifferentialQueueModel.WIDE;
    return switch (op.a() % 6) {
      case 0 -> none.maxAttempts(one(op.b(), 2, 1, 3, 0, -1));
      case 1 -> none.leaseFor(one(op.b(), LONGER, SHORT, TOO_LONG));
      case 2 -> none.expireAfter(one(op.b(), LONG, LONGER, Duration.ofMillis(100)));
      case 3 ->
          none.deadQueue(
              isWide
                  ? one(op.b(), "", "wide", "nosuch")
                  : one(op.b(), "dead", "", "work", "nosuch", "dead"));
      case 4 -> none.reference("r" + op.b());
      default -> isWide ? none.partitions(one(op.b(), 2, 3, 1, 2000)) : none.partitions(1);
    };
  }

  static Question get(DifferentialQueueOp op, DifferentialQueueModel model) {
    return new Question(
        "get " + op.queue(),
        side -> side.backend.catalog().get(op.queue(), CALL),
        answer -> List.of("get:" + (((Optional<?>) answer).isPresent() ? "queue" : "nothing")));
  }

  static Question list(DifferentialQueueOp op, DifferentialQueueModel model) {
    QueuePage page =
        new QueuePage(
            one(op.a(), "", "e", "work", "x"),
            one(op.b(), 0, 1, 2),
            one(op.c(), null, "", "other"));
    return new Question(
        "list queues " + page,
        side -> side.backend.catalog().list(page, CALL),
        answer -> List.of("list queues:" + (((List<?>) answer).isEmpty() ? "none" : "some")));
  }

  static Question delete(DifferentialQueueOp op, DifferentialQueueModel model) {
    boolean force = op.a() % 3 == 0;
    boolean exists = model.info(op.queue()).isPresent();
    boolean isEmpty = model.all(op.queue()).isEmpty();
    return new Question(
        (force ? "delete by force " : "delete ") + op.queue(),
        side -> {
          side.backend.catalog().delete(op.queue(), force, CALL);
          return "done";
        },
        answer -> {
          String done = !exists ? "absent" : isEmpty ? "empty" : "with items";
          boolean refused = answer instanceof QueueException;
          String why = isEmpty || force ? "in use" : "not empty";
          return List.of("delete queue:" + (refused ? why : done));
        });
  }

  static Question pause(DifferentialQueueOp op, DifferentialQueueModel model) {
    return pausing("pause", op, model, Pause.LEASE);
  }

  static Question resume(DifferentialQueueOp op, DifferentialQueueModel model) {
    return pausing("resume", op, model, Pause.NONE);
  }

  private static Question pausing(
      String what, DifferentialQueueOp op, DifferentialQueueModel model, Pause pause) {
    boolean isSo = model.isPaused(op.queue()) == (pause != Pause.NONE);
    return new Question(
        what + " " + op.queue(),
        side -> side.changed(side.backend.catalog().pause(op.queue(), pause, CALL)),
        answer ->
            List.of(
                what
                    + ":"
                    + (answer instanceof QueueException ? "no queue" : isSo ? "again" : "done")));
  }
}
