package io.holdfast.stream;

import io.holdfast.lease.Time;
import io.holdfast.lease.Timers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Pops of one group that wait for the same thing, first come, first served.
 *
 * <p>At most one <em>look</em> is under way: a statement that claims for those at the head. What
 * happens meanwhile is noted, and leads to another look, so no event is missed. A look that served
 * everybody it was made for is followed by one for twice as many, because there may be more; one
 * that found nothing is the last, until something happens or the moment comes that the store named.
 * So an event costs one look per partition that became ready, and one more. Safe for use by many
 * threads.
 */
final class PopLine {
  private static final int MOST_AT_ONCE = 16;
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
  private static final Duration WHILE_SEEDING = Duration.ofMillis(10);

  final Key key;
  private final PopDesk desk;
  private final StreamEngine streams;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private boolean isLooking;
  private boolean isWoken;
  private boolean isEnded;
  private boolean hasLooked;
  private int width = 1;
  private Timers.@Nullable Timer timer;
  private long timerNanos;

  PopLine(Key key, PopDesk desk, StreamEngine streams) {
    this.key = key;
    this.desk = desk;
    this.streams = streams;
  }

  /** What its members ask for. */
  record Key(PopSource from, String group) {}

  /** A pop that waits. */
  private record Waiting(PopRequest request, CompletableFuture<Popped> future) {}

  /** Joins the line and looks; false when the line has ended meanwhile. */
  boolean stand(PopRequest request, CompletableFuture<Popped> future) {
    Waiting member = new Waiting(request, future);
    synchronized (this) {
      if (isEnded) {
        return false;
      }
      waiting.add(member);
    }
    Timers.Timer deadline =
        streams
            .engine
            .timers()
            .at(
                Time.after(streams.time.nanos(), request.timeout().toMillis()),
                () -> member.future.complete(Popped.nothing(request.group())));
    member.future.whenComplete(
        (popped, failure) -> {
          deadline.cancel();
          leave(member);
        });
    if (streams.engine.isClosed()) {
      member.future.completeExceptionally(StreamException.closed());
    }
    wake();
    return true;
  }

  private void leave(Waiting member) {
    boolean isEmpty;
    synchronized (this) {
      waiting.remove(member);
      isEmpty = waiting.isEmpty() && !isLooking;
      isEnded |= isEmpty;
      if (isEmpty && timer != null) {
        timer.cancel();
      }
    }
    if (isEmpty) {
      desk.ended(this);
    }
  }

  synchronized int size() {
    return waiting.size();
  }

  /** Whether what happens to this queue may concern it. */
  boolean concerns(String queue) {
    return key.from().queue() == null || queue.equals(key.from().queue());
  }

  /** Something may have become ready. */
  void wake() {
    synchronized (this) {
      isWoken = true;
      if (isLooking || waiting.isEmpty()) {
        return;
      }
      isLooking = true;
    }
    try {
      streams.engine.tasks().execute(this::look);
    } catch (RejectedExecutionException closed) {
      close();
    }
  }

  /** Something will be ready after a while. */
  synchronized void wakeIn(Duration in) {
    long at = Time.after(streams.time.nanos(), Math.max(1, in.plusNanos(999_999).toMillis()));
    if (isEnded || (timer != null && timerNanos - at <= 0)) {
      return;
    }
    if (timer != null) {
      timer.cancel();
    }
    timerNanos = at;
    timer = streams.engine.timers().at(at, this::due);
  }

  private void due() {
    synchronized (this) {
      timer = null;
    }
    wake();
  }

  /** Looks until there is nothing to be had. */
  private void look() {
    boolean isServing = true;
    while (isServing) {
      OpenClaims.Claim claim = desk.claims.begin(); // before its members are picked
      try (claim) {
        List<Waiting> head = next();
        isServing = !head.isEmpty();
        if (isServing) {
          serve(head);
        }
      }
    }
  }

  /** Who is to be served now: nobody when nothing happened since the last look. */
  private synchronized List<Waiting> next() {
    List<Waiting> head = new ArrayList<>();
    if (isWoken) {
      waiting.stream().filter(m -> !m.future.isDone()).limit(width).forEach(head::add);
    }
    isWoken = false;
    if (head.isEmpty()) {
      isLooking = false;
      if (waiting.isEmpty()) {
        isEnded = true;
        desk.ended(this);
      }
    }
    return head;
  }

  /**
   * What to claim with. The first look makes the group known in every queue that is meant; whatever
   * is made while somebody waits is new to him as a whole.
   */
  private PopRequest asked(Waiting member) {
    PopRequest request = member.request;
    return hasLooked && request.start().mode() == Start.Mode.NEW
        ? request.startingAt(Start.ALL)
        : request;
  }

  private void serve(List<Waiting> head) {
    List<StreamLeases.PopAnswer> answers;
    try {
      answers = desk.claimSeeding(head.stream().map(this::asked).toList());
      hasLooked = true;
    } catch (RuntimeException e) {
      StreamException failure = StreamEngine.asStreamException(e);
      head.forEach(member -> member.future.completeExceptionally(failure));
      wakeIn(AFTER_FAILURE);
      return;
    }
    boolean isAllServed = true;
    for (int i = 0; i < head.size(); i++) {
      StreamLeases.PopAnswer answer = answers.get(i);
      if (answer.popped().isEmpty()) {
        isAllServed = false;
        if (answer.isSeeding()) {
          wakeIn(WHILE_SEEDING);
        } else if (answer.nextIn() != null) {
          wakeIn(answer.nextIn());
        }
      } else {
        desk.deliver(head.get(i).future, answer.popped());
      }
    }
    synchronized (this) {
      width = isAllServed ? Math.min(MOST_AT_ONCE, 2 * width) : 1;
      isWoken |= isAllServed;
    }
  }

  /** Refuses everybody. */
  void close() {
    List<Waiting> all;
    synchronized (this) {
      isEnded = true;
      all = new ArrayList<>(waiting);
    }
    all.forEach(member -> member.future.completeExceptionally(StreamException.closed()));
  }
}
