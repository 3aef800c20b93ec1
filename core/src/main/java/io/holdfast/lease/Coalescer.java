package io.holdfast.lease;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Fuses concurrent calls of one kind for one target into shared statements, because what a small
 * machine has least of is commits. Safe for use by many threads.
 *
 * <p>There is no timer in it. A call that finds nothing under way runs at once, alone; calls that
 * come while statements are under way wait together and become the next statement. So an idle
 * target costs no delay, and batches grow exactly as fast as the load does.
 *
 * <ul>
 *   <li>Each call has an answer of its own, given after its own statement committed. When the data
 *       of one call spoils a statement, the calls of that statement run again one by one, and only
 *       the guilty one fails.
 *   <li>Two calls that name the same thing never share a statement: the later one waits for the
 *       next, and so do those behind it, for order's sake.
 *   <li>A call is withdrawn only while it has not been sent. {@link Pending#withdraw} and sending
 *       race on one flag: whoever loses knows that the outcome is the other's.
 * </ul>
 */
public final class Coalescer<C, R> {
  /** Runs calls together and answers each, in their order; a failure is everybody's. */
  @FunctionalInterface
  public interface Work<C, R> {
    List<R> run(List<C> calls);
  }

  /**
   * What a coalescer is told about its calls.
   *
   * @param kind how they are counted
   * @param rows how much of a statement a call takes up
   * @param names what a call names, so that no two of one statement name the same
   * @param isolates whether a failure may be the fault of a single call
   */
  public record Shape<C>(
      String kind,
      ToIntFunction<C> rows,
      Function<C, Collection<String>> names,
      Predicate<RuntimeException> isolates) {}

  /**
   * How much a coalescer does at once.
   *
   * @param rows at most so many in a statement; a larger call goes alone
   * @param parallel at most so many statements under way
   */
  public record Width(int rows, int parallel) {}

  /** A call that waits or runs. */
  public static final class Pending<C, R> extends CompletableFuture<R> {
    private final C call;
    private final AtomicBoolean taken = new AtomicBoolean();

    private Pending(C call) {
      this.call = call;
    }

    /** Takes the call back; false when it was sent already, and its outcome is open. */
    public boolean withdraw() {
      return taken.compareAndSet(false, true);
    }

    private boolean send() {
      return taken.compareAndSet(false, true);
    }
  }

  private final Work<C, R> work;
  private final Shape<C> shape;
  private final Width width;
  private final Room room;
  private final Executor executor;
  private final FusionCounts counts;
  private final Deque<Pending<C, R>> waiting = new ArrayDeque<>();
  private int running;
  private int inFlight;

  /** An idle one. Statements that nobody's own thread runs are run by {@code executor}. */
  public Coalescer(Work<C, R> work, Shape<C> shape, Width width, Room room, Executor executor) {
    this.work = work;
    this.shape = shape;
    this.width = width;
    this.room = room;
    this.executor = executor;
    this.counts = FusionCounts.of(shape.kind());
  }

  /** How many calls wait, over all coalescers that share it. Safe for use by many threads. */
  public static final class Room {
    private final int limit;
    private final Supplier<RuntimeException> full;
    private int used;

    /** For so many; one more fails with what {@code full} makes. */
    public Room(int limit, Supplier<RuntimeException> full) {
      this.limit = limit;
      this.full = full;
    }

    /** Takes a place, or fails. */
    public synchronized void enter() {
      if (used >= limit) {
        throw full.get();
      }
      used++;
    }

    /** Gives places back. */
    public synchronized void leave(int count) {
      used -= count;
    }
  }

  /** Runs the call on another thread. */
  public Pending<C, R> submit(C call) {
    return submit(call, executor);
  }

  /** Runs the call on the calling thread if nothing is under way, else as {@link #submit(C)}. */
  public Pending<C, R> callOrSubmit(C call) {
    return submit(call, Runnable::run);
  }

  private Pending<C, R> submit(C call, Executor first) {
    Pending<C, R> pending = new Pending<>(call);
    List<Pending<C, R>> batch;
    boolean alone;
    synchronized (this) {
      room.enter();
      alone = waiting.isEmpty() && running == 0;
      waiting.add(pending);
      batch = nextBatch();
    }
    start(batch, alone ? first : executor);
    return pending;
  }

  /** Calls not yet sent. */
  public synchronized int waiting() {
    return waiting.size();
  }

  /** Calls sent and not yet answered. */
  public synchronized int inFlight() {
    return inFlight;
  }

  /** Fails what has not been sent; what was sent is answered. */
  public void refuseWaiting(Supplier<RuntimeException> why) {
    List<Pending<C, R>> refused;
    synchronized (this) {
      refused = new ArrayList<>(waiting);
      waiting.clear();
      room.leave(refused.size());
    }
    for (Pending<C, R> pending : refused) {
      if (pending.withdraw()) {
        pending.completeExceptionally(why.get());
      }
    }
  }

  /** The next calls to send together; none when enough is under way. */
  private List<Pending<C, R>> nextBatch() {
    List<Pending<C, R>> batch = new ArrayList<>();
    if (running >= width.parallel()) {
      return batch;
    }
    Set<String> names = new HashSet<>();
    int rows = 0;
    while (!waiting.isEmpty()) {
      Pending<C, R> next = waiting.peek();
      int more = shape.rows().applyAsInt(next.call);
      boolean fits = batch.isEmpty() || rows + more <= width.rows();
      if (!fits || !addAll(names, shape.names().apply(next.call), batch.isEmpty())) {
        break;
      }
      waiting.remove();
      room.leave(1);
      if (next.send()) {
        batch.add(next);
        rows += more;
      }
    }
    if (!batch.isEmpty()) {
      running++;
      inFlight += batch.size();
    }
    return batch;
  }

  private static boolean addAll(Set<String> names, Collection<String> more, boolean isFirst) {
    if (!isFirst && more.stream().anyMatch(names::contains)) {
      return false;
    }
    names.addAll(more);
    return true;
  }

  private void start(List<Pending<C, R>> batch, Executor on) {
    if (batch.isEmpty()) {
      return;
    }
    try {
      on.execute(() -> run(batch));
    } catch (RuntimeException rejected) {
      answer(batch, pending -> pending.completeExceptionally(rejected));
    }
  }

  private void run(List<Pending<C, R>> batch) {
    List<C> calls = batch.stream().map(pending -> pending.call).toList();
    List<R> results;
    try {
      results = send(calls);
    } catch (RuntimeException e) {
      if (batch.size() > 1 && shape.isolates().test(e)) {
        answer(batch, this::runAlone);
      } else {
        answer(batch, pending -> pending.completeExceptionally(e));
      }
      return;
    } catch (Error e) {
      answer(batch, pending -> pending.completeExceptionally(e));
      throw e;
    }
    int[] index = {0};
    answer(batch, pending -> pending.complete(results.get(index[0]++)));
  }

  private List<R> send(List<C> calls) {
    counts.sent(calls.size(), calls.stream().mapToInt(shape.rows()).sum());
    return work.run(calls);
  }

  private void runAlone(Pending<C, R> pending) {
    try {
      pending.complete(send(List.of(pending.call)).get(0));
    } catch (RuntimeException e) {
      pending.completeExceptionally(e);
    }
  }

  private void answer(List<Pending<C, R>> batch, Consumer<Pending<C, R>> how) {
    List<Pending<C, R>> next;
    synchronized (this) {
      running--;
      inFlight -= batch.size();
      next = nextBatch();
    }
    start(next, executor); // before the answers, which may run other people's code
    batch.forEach(how);
  }
}
