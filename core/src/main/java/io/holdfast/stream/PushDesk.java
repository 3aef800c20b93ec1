package io.holdfast.stream;

import io.holdfast.lease.Coalescer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where messages are appended: concurrent pushes share a statement. Safe for use by many. */
final class PushDesk {
  private static final int BYTES_PER_ROW = 64 << 10;
  private static final int FORMS = 5;

  private final StreamEngine streams;
  private final Coalescer<Push, List<Pushed>> pushes;

  PushDesk(StreamEngine streams) {
    this.streams = streams;
    this.pushes = streams.coalescer("push", this::run, Push::rows, push -> List.of());
  }

  /** One caller's messages. */
  private record Push(List<NewMessage> messages, @Nullable String producer) {
    int rows() {
      long bytes = messages.stream().mapToLong(m -> m.payload().size()).sum();
      return messages.size() + (int) (bytes / BYTES_PER_ROW);
    }
  }

  /** Appends on the calling thread if nothing is under way. */
  CompletableFuture<List<Pushed>> push(
      List<NewMessage> messages, @Nullable String producer, boolean isWaiting) {
    StreamRules.checkPush(messages);
    StreamRules.checkStorable("producer", producer);
    streams.start();
    if (messages.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    Push push = new Push(placed(messages), producer);
    Coalescer.Pending<Push, List<Pushed>> pending =
        isWaiting ? pushes.callOrSubmit(push) : pushes.submit(push);
    CompletableFuture<List<Pushed>> future = new CompletableFuture<>();
    pending.whenComplete(complete(future));
    future.whenComplete((pushed, failure) -> pending.withdraw());
    return future;
  }

  static <T> BiConsumer<@Nullable T, @Nullable Throwable> complete(CompletableFuture<T> future) {
    return (result, failure) -> {
      if (result == null || failure != null) {
        future.completeExceptionally(StreamEngine.asStreamException(failure));
      } else {
        future.complete(result);
      }
    };
  }

  /** With a partition for each. */
  List<NewMessage> placed(List<NewMessage> messages) {
    return messages.stream()
        .map(m -> m.partition() == null ? m.in(streams.directory.partitionFor(m.queue())) : m)
        .toList();
  }

  private List<List<Pushed>> run(List<Push> calls) {
    List<NewMessage> all = new ArrayList<>();
    StreamLog.Appended appended =
        inForm(
            () -> {
              all.clear();
              List<Entry> entries = new ArrayList<>();
              for (Push call : calls) {
                entries.addAll(streams.sealer.entries(call.messages(), call.producer()));
                all.addAll(call.messages());
              }
              return entries;
            },
            entries -> pushOrHold(entries, calls.size() == 1),
            StreamLog.Appended.class);
    announce(all, appended.pushed());
    List<List<Pushed>> answers = new ArrayList<>(calls.size());
    int next = 0;
    for (Push call : calls) {
      answers.add(List.copyOf(appended.pushed().subList(next, next + call.messages().size())));
      next += call.messages().size();
    }
    return answers;
  }

  /** Appends; what a queue wants to be held is put by, but not what only came along with it. */
  private StreamLog.PushAnswer pushOrHold(List<Entry> entries, boolean isAlone) {
    for (int i = 0; i < FORMS; i++) {
      StreamLog.PushAnswer answer = streams.store.log().push(entries, streams.storeCall());
      if (!(answer instanceof StreamLog.Holding holding)) {
        return answer;
      }
      if (!isAlone) {
        throw new StreamException(
            StreamError.PAUSED, "pushes to queue '" + holding.queue() + "' are held", null);
      }
      Optional<StreamLog.PushAnswer> held =
          streams.store.holds().hold(entries, streams.storeCall());
      if (held.isPresent()) {
        return held.get();
      }
    }
    throw StreamException.unavailable("the queue keeps being held and let go; try again", null);
  }

  /** Makes entries. */
  private interface Entries {
    List<Entry> make();
  }

  /** Sends entries; a queue that wants another form is remembered, and they are made anew. */
  private <A extends StreamLog.TransactAnswer> A inForm(
      Entries entries, Function<List<Entry>, StreamLog.TransactAnswer> send, Class<A> answer) {
    for (int i = 0; i < FORMS; i++) {
      List<Entry> made = entries.make();
      StreamLog.TransactAnswer got = streams.call(() -> send.apply(made));
      if (got instanceof StreamLog.WrongForm wrong) {
        streams.directory.take(wrong.queue());
      } else {
        return answer.cast(got);
      }
    }
    throw StreamException.unavailable("the queue's encryption keeps changing; try again", null);
  }

  private void announce(List<NewMessage> messages, List<Pushed> pushed) {
    Set<String> queues = new TreeSet<>();
    for (int i = 0; i < pushed.size(); i++) {
      if (pushed.get(i).status() == Pushed.Status.QUEUED) {
        queues.add(messages.get(i).queue());
      }
    }
    queues.forEach(streams::becameReady);
  }

  /** Appends and settles together. */
  Transacted transact(
      List<NewMessage> messages, List<Ack> acks, Set<UUID> required, @Nullable String producer) {
    StreamRules.checkPush(messages);
    StreamRules.checkStorable("producer", producer);
    streams.start();
    List<NewMessage> placed = placed(messages);
    StreamLog.Settled settled =
        inForm(
            () -> streams.sealer.entries(placed, producer),
            entries -> streams.store.log().transact(entries, acks, required, streams.storeCall()),
            StreamLog.Settled.class);
    Transacted transacted = settled.transacted();
    if (transacted.isCommitted()) {
      announce(placed, transacted.pushed());
      // What the verdicts released is found like anything else that became ready elsewhere.
      streams.pops.wakeAll();
    }
    return transacted;
  }

  /** Refuses what has not been sent. */
  void close() {
    pushes.refuseWaiting(StreamException::closed);
  }
}
