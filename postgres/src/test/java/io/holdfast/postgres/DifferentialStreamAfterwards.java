package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialStreamSide.CALL;

import io.holdfast.postgres.DifferentialStreamOp.Question;
import io.holdfast.postgres.DifferentialStreamText.Ordered;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.PageKey;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** What is stored, wherever it was not asked for. */
final class DifferentialStreamAfterwards {
  private static final int ALL = 1000;

  private DifferentialStreamAfterwards() {}

  static List<Question> questions(DifferentialStreamModel model) {
    List<Question> all = new ArrayList<>();
    all.add(afterwards("queues", side -> side.store.catalog().list(null, ALL, CALL)));
    all.add(afterwards("groups", side -> side.store.groups().list(null, CALL)));
    all.add(afterwards("depths", side -> side.store.monitor().depths(null, CALL)));
    all.add(afterwards("leases", side -> side.store.monitor().leases(null, CALL)));
    all.add(afterwards("utilization", side -> side.store.monitor().utilization(null, CALL)));
    all.add(DifferentialStreamLook.stuck((String) null));
    all.add(
        afterwards(
            "dropped",
            side ->
                Ordered.newestFirst(
                    side.store.monitor().dropped(null, ALL, CALL),
                    dropped -> new PageKey(dropped.at(), new UUID(0, 0))),
            DifferentialStreamLook::drops));
    all.add(
        afterwards(
            "dead letters",
            side -> Ordered.newestFirst(side.dead(), DifferentialStreamDead::key),
            DifferentialStreamDead::reasons));
    model.queues().forEach(queue -> queue(queue, all));
    for (GroupInfo group : model.groups()) {
      all.add(DifferentialStreamLook.tally(group.queue(), group.name()));
      cursors(group, model, all);
    }
    return all;
  }

  private static void queue(String queue, List<Question> all) {
    all.add(
        afterwards(
            "partitions of " + queue,
            side -> side.store.catalog().partitions(queue, null, ALL, CALL)));
    all.add(
        afterwards(
            "messages of " + queue,
            side ->
                Ordered.newestFirst(
                    side.store.reader().messages(MessageQuery.of(queue).limit(ALL), CALL),
                    DifferentialStreamLook::key),
            DifferentialStreamLook::statuses));
    all.add(
        afterwards(
            "cursors of " + queue,
            side -> side.store.groups().cursors(queue, null, null, ALL, CALL)));
  }

  private static void cursors(GroupInfo group, DifferentialStreamModel model, List<Question> all) {
    model.memory.store.catalog().partitions(group.queue(), null, ALL, CALL).stream()
        .map(partition -> new CursorKey(group.queue(), partition, group.name()))
        .forEach(cursor -> all.add(DifferentialStreamLook.explain(cursor)));
  }

  private static Question afterwards(String what, Function<DifferentialStreamSide, Object> put) {
    return afterwards(what, put, answer -> List.of());
  }

  private static Question afterwards(
      String what,
      Function<DifferentialStreamSide, Object> put,
      Function<Object, List<String>> outcome) {
    return new Question("afterwards " + what, put, outcome);
  }
}
