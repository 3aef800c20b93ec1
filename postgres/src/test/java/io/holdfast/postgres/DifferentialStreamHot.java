package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialStreamOp.kindOf;
import static io.holdfast.postgres.DifferentialStreamOp.one;
import static io.holdfast.postgres.DifferentialStreamOp.outcome;
import static io.holdfast.postgres.DifferentialStreamSide.CALL;

import io.holdfast.postgres.DifferentialStreamModel.Grip;
import io.holdfast.postgres.DifferentialStreamOp.Question;
import io.holdfast.stream.Batch;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Entry;
import io.holdfast.stream.Extended;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Start;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamLeases.Extension;
import io.holdfast.stream.StreamLeases.PopAnswer;
import io.holdfast.stream.StreamLeases.Returned;
import io.holdfast.stream.StreamLog.Appended;
import io.holdfast.stream.StreamOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What producers and consumers ask. */
final class DifferentialStreamHot {
  private DifferentialStreamHot() {}

  /** A few entries, most for one place, some under ids that come again. */
  static List<Entry> entries(DifferentialStreamOp op, DifferentialStreamModel model) {
    List<Entry> entries = new ArrayList<>();
    int many = one(op.a(), 1, 2, 3, 1, 4, 2);
    for (int i = 0; i < many; i++) {
      String queue = op.b() % 8 == 7 && i % 2 == 1 ? op.otherQueue() : op.queue();
      String partition = op.partition(op.b() % 3 == 2 ? i : 0);
      int n = op.a() + 5 * i + op.c();
      boolean isEncrypted = model.settings(queue).is(StreamOption.ENCRYPTION_ENABLED);
      entries.add(
          new Entry(
              queue,
              partition,
              Payload.of(model.newLabel()),
              isEncrypted != (op.c() == 22),
              n % 2 == 0 ? null : "t" + n % 5,
              n % 3 == 2 ? DifferentialStreamModel.TRACES.get(n % 2) : null,
              n % 4 == 3 ? "bob" : null));
    }
    return entries;
  }

  static Question push(DifferentialStreamOp op, DifferentialStreamModel model) {
    return push(entries(op, model), model);
  }

  static Question push(List<Entry> entries, DifferentialStreamModel model) {
    boolean isNew = entries.stream().anyMatch(entry -> model.info(entry.queue()).isEmpty());
    return new Question(
        "push " + entries,
        side -> side.store.log().push(entries, CALL),
        answer -> {
          if (answer instanceof StreamException || !(answer instanceof Appended appended)) {
            return List.of("push:" + kindOf(answer, other -> "wrong form"));
          }
          Set<String> seen = pushed("push", entries, appended.pushed(), model);
          if (isNew) {
            seen.add("push:queue made");
          }
          return List.copyOf(seen);
        });
  }

  static Set<String> pushed(
      String what, List<Entry> entries, List<Pushed> pushed, DifferentialStreamModel model) {
    Set<String> seen = new LinkedHashSet<>();
    for (int i = 0; i < pushed.size(); i++) {
      Pushed each = pushed.get(i);
      model.pushed(entries.get(i).queue(), entries.get(i).partition());
      seen.add(what + ":" + each.status().name());
      if (each.capacity() != null) {
        seen.add(what + ":limited");
      }
      if (pushed.subList(0, i).stream().anyMatch(o -> o.messageId().equals(each.messageId()))) {
        seen.add(what + ":repeated in the call");
      }
    }
    return seen;
  }

  /** A request for this queue. */
  static PopRequest request(DifferentialStreamOp op, DifferentialStreamModel model) {
    PopRequest request = PopRequest.of(op.c() == 23 ? "nowhere" : op.queue());
    if (op.b() % 4 == 3) {
      request = request.partition(op.c() == 22 ? "nolane" : op.partition());
    }
    return sized(request, op, model);
  }

  private static PopRequest sized(
      PopRequest request, DifferentialStreamOp op, DifferentialStreamModel model) {
    Duration lease = one(op.c(), null, Duration.ofSeconds(1), null, Duration.ofSeconds(4), null);
    PopRequest sized =
        request
            .group(op.group())
            .startingAt(start(op, model))
            .batch(one(op.a(), 2, 1, 3, 10))
            .partitions(one(op.b(), 1, 2, 3))
            .autoAck(op.a() % 8 == 7);
    return lease == null ? sized : sized.leaseFor(lease);
  }

  private static Start start(DifferentialStreamOp op, DifferentialStreamModel model) {
    StoredMessage some = model.message(op.queue(), op.a());
    return switch (op.c() % 6) {
      case 4 -> Start.NEW;
      case 5 ->
          Start.at(
              some == null
                  ? model.now().minusMillis(1)
                  : some.message().createdAt().plusMillis(one(op.b(), 0, -1, 1)));
      default -> Start.ALL;
    };
  }

  /** Where something is ready, mostly. */
  static Question pop(DifferentialStreamOp op, DifferentialStreamModel model) {
    CursorKey ready = op.b() % 4 == 1 ? null : model.ready(op);
    return pop("pop", List.of(request(ready == null ? op : op.in(ready), model)), model);
  }

  static Question popByLabels(DifferentialStreamOp op, DifferentialStreamModel model) {
    String namespace = one(op.b(), "n", "n", null, "m");
    String task = one(op.b(), null, "t", "u", null);
    PopRequest request = PopRequest.of(PopSource.labels(namespace, task));
    return pop("pop by labels", List.of(sized(request, op, model)), model);
  }

  static Question popMany(DifferentialStreamOp op, DifferentialStreamModel model) {
    PopRequest first = request(op, model);
    return pop("pop many", List.of(first, first.group("g"), first.batch(1)), model);
  }

  static Question pop(String what, List<PopRequest> requests, DifferentialStreamModel model) {
    boolean isNew =
        model.groups().stream().noneMatch(group -> group.name().equals(requests.get(0).group()));
    return new Question(
        what + " " + requests,
        side -> side.store.leases().pop(requests, CALL),
        answer -> {
          Set<String> seen = new LinkedHashSet<>();
          for (Object each : (List<?>) answer) {
            seen.addAll(popped(what, (PopAnswer) each, model));
          }
          if (isNew) {
            seen.add(what + ":first contact");
          }
          return List.copyOf(seen);
        });
  }

  /** The kinds of an answer; remembers what it gave. */
  static Set<String> popped(String what, PopAnswer answer, DifferentialStreamModel model) {
    model.given(answer);
    Popped popped = answer.popped();
    Set<String> seen = new LinkedHashSet<>();
    if (popped.isEmpty()) {
      seen.add(what + (answer.nextIn() == null ? ":nothing" : ":nothing yet"));
      return seen;
    }
    seen.add(what + ":some");
    if (popped.batches().size() > 1) {
      seen.add(what + ":several partitions");
    }
    for (Batch batch : popped.batches()) {
      if (batch.lease() == null) {
        seen.add(what + ":settled");
      }
      batch.deliveries().stream()
          .map(delivery -> delivery.attempt())
          .filter(attempt -> attempt > 1)
          .forEach(attempt -> seen.add(what + (attempt > 2 ? ":third time" : ":second time")));
    }
    return seen;
  }

  /** A lease: mostly one that lasts. */
  static @Nullable Grip grip(DifferentialStreamOp op, DifferentialStreamModel model) {
    Grip held = op.a() % 4 == 3 ? null : model.grip(op.a(), model::isHeld);
    return held == null ? model.grip(op.b(), grip -> true) : held;
  }

  static Question extend(DifferentialStreamOp op, DifferentialStreamModel model) {
    Grip grip = grip(op, model);
    if (grip == null && op.c() > 3) {
      return pop(op, model);
    }
    List<String> leases =
        Stream.of(grip == null ? "<none>" : grip.lease(), one(op.b(), null, null, "<none>"))
            .filter(Objects::nonNull)
            .map(lease -> op.c() == 23 ? lease + "~" : lease)
            .toList();
    Duration by = Duration.ofSeconds(one(op.c(), 2, 1, 60, 10));
    return new Question(
        "extend " + leases + " by " + by,
        side ->
            side.store
                .leases()
                .extend(
                    leases.stream().map(lease -> new Extension(side.id(lease), by)).toList(), CALL),
        answer ->
            ((List<?>) answer)
                .stream()
                    .map(each -> ((Extended) each).partitions())
                    .map(held -> held == 0 ? "lost" : held == 1 ? "one" : "several")
                    .map(kind -> "extend:" + kind)
                    .toList());
  }

  static Question release(DifferentialStreamOp op, DifferentialStreamModel model) {
    Grip shared = op.b() % 2 == 0 ? model.grip(op.a(), model::isShared) : null;
    Grip grip = shared == null ? grip(op, model) : shared;
    if (grip == null && op.c() > 3) {
      return pop(op, model);
    }
    String lease = grip == null ? "<none>" : grip.lease();
    String partition = grip == null || op.b() % 2 == 0 ? null : grip.partition();
    return new Question(
        "release " + lease + " of " + partition,
        side ->
            side.store
                .leases()
                .release(side.id(lease), partition == null ? null : side.id(partition), CALL),
        outcome(
            "release",
            answer ->
                one(Math.min(2, ((Returned) answer).partitions()), "lost", "one", "several")));
  }
}
