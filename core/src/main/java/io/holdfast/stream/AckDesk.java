package io.holdfast.stream;

import io.holdfast.lease.Coalescer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Where messages are settled and leases renewed. Safe for use by many threads. */
final class AckDesk {
  private final StreamEngine streams;
  private final Coalescer<List<Ack>, List<Acked>> acks;
  private final Coalescer<StreamLeases.Extension, Extended> extensions;
  private final Coalescer<Turn, Turned> turns;

  AckDesk(StreamEngine streams) {
    this.streams = streams;
    this.acks = streams.coalescer("ack", this::run, List::size, AckDesk::cursors);
    this.extensions =
        streams.coalescer(
            "extend",
            calls -> streams.call(() -> leases().extend(calls, streams.storeCall())),
            call -> 1,
            call -> List.of(call.leaseId().toString()));
    this.turns =
        streams.coalescer(
            "ack-pop", this::runTurns, turn -> turn.acks().size() + 1, t -> cursors(t.acks()));
  }

  /** Verdicts and, behind them, a claim. */
  private record Turn(List<Ack> acks, PopRequest request) {}

  private record Turned(List<Acked> acked, StreamLeases.PopAnswer popped) {}

  private StreamLeases leases() {
    return streams.store.leases();
  }

  /** Verdicts of two callers about one partition must not count as one call. */
  private static Collection<String> cursors(List<Ack> acks) {
    Collection<String> cursors = new TreeSet<>();
    acks.forEach(ack -> cursors.add(ack.partitionId() + "/" + ack.group()));
    return cursors;
  }

  private List<List<Acked>> run(List<List<Ack>> calls) {
    List<Ack> all = calls.stream().flatMap(List::stream).toList();
    StreamLeases.AckAnswer answer = streams.call(() -> leases().ack(all, streams.storeCall()));
    released(answer.ready());
    return divided(answer.acked(), calls);
  }

  private List<Turned> runTurns(List<Turn> calls) {
    List<Ack> all = calls.stream().flatMap(turn -> turn.acks().stream()).toList();
    List<PopRequest> requests = calls.stream().map(Turn::request).toList();
    long askedNanos = streams.time.nanos();
    StreamLeases.AckPopAnswer answer =
        streams.call(() -> leases().ackAndPop(all, requests, streams.storeCall()));
    released(answer.acks().ready());
    List<List<Acked>> acked =
        divided(answer.acks().acked(), calls.stream().map(Turn::acks).toList());
    List<Turned> turned = new ArrayList<>(calls.size());
    for (int i = 0; i < calls.size(); i++) {
      StreamLeases.PopAnswer popped = streams.pops.opened(answer.pops().get(i), askedNanos);
      turned.add(new Turned(acked.get(i), popped));
    }
    return turned;
  }

  private static List<List<Acked>> divided(List<Acked> acked, List<List<Ack>> calls) {
    List<List<Acked>> answers = new ArrayList<>(calls.size());
    int next = 0;
    for (List<Ack> call : calls) {
      answers.add(List.copyOf(acked.subList(next, next + call.size())));
      next += call.size();
    }
    return answers;
  }

  /** Settles, and claims in the same commit; only if nothing was there, waits for it. */
  StreamWork.Turn exchange(List<Ack> verdicts, PopRequest request) {
    StreamRules.checkAcks(verdicts, true);
    StreamRules.checkPop(request);
    streams.start();
    OpenClaims.Claim claim = streams.pops.claims.begin();
    Coalescer.Pending<Turn, Turned> pending =
        turns.submit(new Turn(List.copyOf(verdicts), request));
    StreamWork.Turn exchange =
        new StreamWork.Turn(new CompletableFuture<>(), new CompletableFuture<>());
    pending.whenComplete(
        (turned, failure) -> {
          if (turned == null || failure != null) {
            StreamException e = StreamEngine.asStreamException(failure);
            exchange.acked().completeExceptionally(e);
            exchange.popped().completeExceptionally(e);
          } else {
            exchange.acked().complete(turned.acked());
            streams.pops.conclude(request, exchange.popped(), turned.popped());
          }
          claim.close();
        });
    return exchange;
  }

  /** Lets others have what was released. */
  void released(List<StreamLeases.Ready> ready) {
    for (StreamLeases.Ready cursor : ready) {
      if (cursor.in().isZero()) {
        streams.becameReady(cursor.queue());
      } else {
        streams.pops.wakeIn(cursor.queue(), cursor.group(), cursor.in());
      }
    }
  }

  CompletableFuture<List<Acked>> ack(List<Ack> verdicts, boolean isWaiting) {
    StreamRules.checkAcks(verdicts, true);
    return submit(verdicts, isWaiting);
  }

  /** The same for verdicts that have been checked. */
  CompletableFuture<List<Acked>> submit(List<Ack> verdicts, boolean isWaiting) {
    streams.start();
    if (verdicts.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    List<Ack> copy = List.copyOf(verdicts);
    Coalescer.Pending<List<Ack>, List<Acked>> pending =
        isWaiting ? acks.callOrSubmit(copy) : acks.submit(copy);
    CompletableFuture<List<Acked>> future = new CompletableFuture<>();
    pending.whenComplete(PushDesk.complete(future));
    return future;
  }

  CompletableFuture<Extended> extend(StreamLeases.Extension extension, boolean isWaiting) {
    streams.start();
    CompletableFuture<Extended> future = new CompletableFuture<>();
    (isWaiting ? extensions.callOrSubmit(extension) : extensions.submit(extension))
        .whenComplete(PushDesk.complete(future));
    return future;
  }

  /** Refuses what has not been sent. */
  void close() {
    acks.refuseWaiting(StreamException::closed);
    extensions.refuseWaiting(StreamException::closed);
    turns.refuseWaiting(StreamException::closed);
  }
}
