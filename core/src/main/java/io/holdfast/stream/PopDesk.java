package io.holdfast.stream;

import io.holdfast.lease.Coalescer;
import io.holdfast.lease.Duty;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where messages are claimed. A pop that does not wait shares a statement with others that come at
 * the same time; one that waits stands in a {@link PopLine} with others of the same group that ask
 * for the same, where it costs nothing until something may have become ready. As a duty it lets
 * every line look from time to time, for what no event told of. Safe for use by many threads.
 */
final class PopDesk implements Duty {
  private final StreamEngine streams;
  private final Coalescer<PopRequest, StreamLeases.PopAnswer> pops;
  private final Map<PopLine.Key, PopLine> lines = new ConcurrentHashMap<>();
  final OpenClaims claims = new OpenClaims();
  private long pollNanos;

  PopDesk(StreamEngine streams) {
    this.streams = streams;
    this.pops = streams.coalescer("pop", this::claim, request -> 1, request -> List.of());
    this.pollNanos = nextPoll();
  }

  private long nextPoll() {
    return Time.after(streams.time.nanos(), streams.options.poll().toMillis());
  }

  /** Claims for several at once; answers in order, as the messages were pushed. */
  List<StreamLeases.PopAnswer> claim(List<PopRequest> requests) {
    long askedNanos = streams.time.nanos();
    List<StreamLeases.PopAnswer> answers =
        streams.call(() -> streams.store.leases().pop(requests, streams.storeCall()));
    return answers.stream().map(answer -> opened(answer, askedNanos)).toList();
  }

  /** The answer with readable payloads, and with the moment from which its lease can be trusted. */
  StreamLeases.PopAnswer opened(StreamLeases.PopAnswer answer, long askedNanos) {
    Popped popped = answer.popped();
    if (popped.isEmpty()) {
      return answer;
    }
    Popped stamped = new Popped(popped.queue(), popped.group(), popped.batches(), askedNanos);
    return new StreamLeases.PopAnswer(
        streams.sealer.opened(stamped), answer.nextIn(), answer.isSeeding());
  }

  /** Claims now, or waits for as long as the request says. */
  CompletableFuture<Popped> pop(PopRequest request, boolean isWaiting) {
    StreamRules.checkPop(request);
    streams.start();
    if (!request.timeout().isZero()) {
      return stand(request, new CompletableFuture<>());
    }
    CompletableFuture<Popped> future = new CompletableFuture<>();
    OpenClaims.Claim claim = claims.begin();
    (isWaiting ? pops.callOrSubmit(request) : pops.submit(request))
        .whenComplete(
            (answer, failure) -> {
              answered(request, future, answer, failure);
              claim.close();
            });
    return future;
  }

  private void answered(
      PopRequest request,
      CompletableFuture<Popped> future,
      StreamLeases.@Nullable PopAnswer answer,
      @Nullable Throwable failure) {
    if (answer == null || failure != null) {
      future.completeExceptionally(StreamEngine.asStreamException(failure));
    } else if (answer.isSeeding() && answer.popped().isEmpty()) {
      OpenClaims.Claim claim = claims.begin();
      streams.engine.tasks().execute(() -> seedAndClaim(request, future, claim));
    } else {
      deliver(future, answer.popped());
    }
  }

  private void seedAndClaim(
      PopRequest request, CompletableFuture<Popped> future, OpenClaims.Claim claim) {
    try (claim) {
      deliver(future, claimSeeding(List.of(request)).get(0).popped());
    } catch (RuntimeException e) {
      future.completeExceptionally(StreamEngine.asStreamException(e));
    }
  }

  /**
   * Claims for requests that ask for the same; while their group has no cursors yet in some
   * partitions and nothing came, it is given more of them, for a second at most.
   */
  List<StreamLeases.PopAnswer> claimSeeding(List<PopRequest> requests) {
    long untilNanos = System.nanoTime() + Duration.ofSeconds(1).toNanos();
    while (true) {
      List<StreamLeases.PopAnswer> answers = claim(requests);
      String queue = requests.get(0).from().queue();
      boolean isEnough =
          answers.stream().anyMatch(a -> !a.popped().isEmpty())
              || !answers.get(0).isSeeding()
              || System.nanoTime() - untilNanos > 0;
      if (isEnough) {
        return answers;
      }
      if (queue != null) { // with labels each claim makes some cursors in every queue
        streams.call(
            () -> streams.store.groups().seed(queue, requests.get(0).group(), streams.storeCall()));
      }
    }
  }

  /** Gives the answer, or gives back what was claimed for somebody who is gone. */
  boolean deliver(CompletableFuture<Popped> future, Popped popped) {
    return deliver(future, popped, popped);
  }

  /** The same for an answer that holds more. */
  <T> boolean deliver(CompletableFuture<T> future, T answer, Popped popped) {
    boolean isDelivered = future.complete(answer);
    UUID lease = popped.leaseId();
    if (!isDelivered && lease != null) {
      OpenClaims.Claim claim = claims.begin();
      streams.engine.background("giving back an undelivered batch", () -> giveBack(lease, claim));
    }
    return isDelivered;
  }

  private void giveBack(UUID lease, OpenClaims.Claim claim) {
    try (claim) {
      StreamLeases.Returned returned =
          streams.engine.call(
              () -> streams.store.leases().release(lease, null, streams.storeCall()));
      returned.ready().forEach(ready -> streams.becameReady(ready.queue()));
    }
  }

  /** Waits in line; {@code future} is how its wait ends, also when it is cancelled. */
  private CompletableFuture<Popped> stand(PopRequest request, CompletableFuture<Popped> future) {
    PopLine.Key key = new PopLine.Key(request.from(), request.group());
    boolean isStanding;
    do {
      PopLine line = lines.computeIfAbsent(key, k -> new PopLine(k, this, streams));
      isStanding = line.stand(request, future);
    } while (!isStanding);
    return future;
  }

  /** Done when pops that were cancelled before can take nothing any more, and hold nothing. */
  CompletableFuture<Void> calledOff() {
    return claims.over();
  }

  /** Gives what was claimed; if that was nothing, and the request waits, waits for it. */
  void conclude(
      PopRequest request, CompletableFuture<Popped> future, StreamLeases.PopAnswer answer) {
    if (!answer.popped().isEmpty() || request.timeout().isZero()) {
      answered(request, future, answer, null);
    } else if (!future.isDone()) {
      stand(request, future);
    }
  }

  /** The line has nobody left in it. */
  void ended(PopLine line) {
    lines.remove(line.key, line);
  }

  /** How many wait. */
  int waiting() {
    return lines.values().stream().mapToInt(PopLine::size).sum();
  }

  /** Something in the queue may have become ready. */
  void wake(String queue) {
    lines.values().stream().filter(line -> line.concerns(queue)).forEach(PopLine::wake);
  }

  /** Something in the queue will be ready for this group. */
  void wakeIn(String queue, String group, Duration in) {
    lines.values().stream()
        .filter(line -> line.concerns(queue) && line.key.group().equals(group))
        .forEach(line -> line.wakeIn(in));
  }

  /** Something may have become ready anywhere. */
  void wakeAll() {
    lines.values().forEach(PopLine::wake);
  }

  @Override
  public int work() {
    if (pollNanos - streams.time.nanos() > 0) {
      return 0;
    }
    pollNanos = nextPoll();
    List<PopLine> all = new ArrayList<>(lines.values());
    all.forEach(PopLine::wake);
    return all.isEmpty() ? 0 : 1;
  }

  @Override
  public long dueNanos() {
    return pollNanos;
  }

  /** Answers whoever waits. */
  void close() {
    pops.refuseWaiting(StreamException::closed);
    lines.values().forEach(PopLine::close);
  }
}
