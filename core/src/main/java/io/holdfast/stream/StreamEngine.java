package io.holdfast.stream;

import io.holdfast.lease.Causes;
import io.holdfast.lease.Coalescer;
import io.holdfast.lease.Engine;
import io.holdfast.lease.Hints;
import io.holdfast.lease.News;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import java.util.Collection;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What all stream operations of one service share: the store, the clock, threads and duties, and
 * who is told when something happens. Safe for use by many threads.
 */
final class StreamEngine implements Hints.Listener, News.Reader {
  private static final int FUSED_ROWS = 2_000;
  private static final int STATEMENTS_AT_ONCE = 2;
  private static final int MAX_WAITING = 100_000;

  final StreamStore store;
  final StreamOptions options;
  final Engine engine;
  final Time time;
  final Directory directory;
  final Sealer sealer;
  final News news;
  final PopDesk pops;
  final Coalescer.Room room =
      new Coalescer.Room(
          MAX_WAITING, () -> StreamException.unavailable("too many calls wait; try again", null));
  private volatile Hints.@Nullable Subscription subscription;

  StreamEngine(StreamStore store, StreamOptions options) {
    this.store = store;
    this.options = options;
    this.time = store.time();
    this.engine = new Engine("holdfast-stream", time, options.isStepped());
    this.directory = new Directory(store, engine);
    this.sealer = new Sealer(options.encryptionKey(), directory::remembered, directory::refreshed);
    this.news = new News(store.hints(), engine.timers(), time);
    this.pops = new PopDesk(this);
    engine.add(pops);
    Upkeep.duties(this).forEach(engine::add);
  }

  /** Begins the duties, once. */
  void start() {
    if (engine.isClosed()) {
      throw StreamException.closed();
    }
    engine.start(() -> subscription = store.hints().listen(this));
  }

  StoreCall storeCall() {
    return engine.storeCall();
  }

  /** Makes a call to the store on the calling thread. */
  <T> T call(Supplier<T> call) {
    start();
    return engine.call(call);
  }

  <C, R> Coalescer<C, R> coalescer(
      String operation,
      Coalescer.Work<C, R> work,
      ToIntFunction<C> rows,
      Function<C, Collection<String>> names) {
    Coalescer.Width width =
        options.isFusing()
            ? new Coalescer.Width(FUSED_ROWS, STATEMENTS_AT_ONCE)
            : new Coalescer.Width(0, Integer.MAX_VALUE);
    return new Coalescer<>(
        work,
        new Coalescer.Shape<>("stream." + operation, rows, names, StreamEngine::isOneCallersFault),
        width,
        room,
        engine.tasks());
  }

  /** Whether the others of a fused call would do better without somebody. */
  private static boolean isOneCallersFault(RuntimeException e) {
    return e instanceof StreamException failure
        && switch (failure.error()) {
          case UNAVAILABLE, CLOSED, ABORTED -> false;
          default -> true;
        };
  }

  static StreamException asStreamException(@Nullable Throwable failure) {
    Throwable e = Causes.ofNullable(failure);
    if (e instanceof StreamException known) {
      return known;
    }
    if (e instanceof CancellationException) {
      return new StreamException(StreamError.ABORTED, "the call was cancelled", e);
    }
    return new StreamException(StreamError.INTERNAL, "internal failure; " + e, e);
  }

  /** The answer, waited for; an interrupt calls it off. */
  static <T> T join(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new StreamException(StreamError.ABORTED, "the waiting thread was interrupted", e);
    } catch (ExecutionException | CancellationException e) {
      throw asStreamException(e);
    }
  }

  /** Something in the queue may be claimed, by whom it may concern here and elsewhere. */
  void becameReady(String queue) {
    pops.wake(queue);
    news.ready(queue);
  }

  /** Stores some of what was put by, and says how much. */
  int drain(StoreCall call) {
    StreamHolds.Drained drained = store.holds().drain(sealer::reformed, call);
    drained.queues().forEach(this::becameReady);
    return drained.messages();
  }

  /** Stores what was put by, without waiting for the duty. */
  void drainSoon() {
    if (!options.isStepped()) {
      engine.background(
          "storing what was held",
          () -> {
            while (engine.call(() -> drain(storeCall())) > 0) {
              Thread.onSpinWait();
            }
          });
    }
  }

  /** What a queue allows has changed. */
  void becameDifferent(String queue) {
    directory.forget(queue);
    pops.wake(queue);
    news.changed(queue);
  }

  @Override
  public void hinted(String topic) {
    news.read(topic, this);
  }

  @Override
  public void ready(String queue) {
    pops.wake(queue);
  }

  @Override
  public void changed(String queue) {
    directory.forget(queue);
    pops.wakeAll();
  }

  @Override
  public void mayHaveMissedSome() {
    directory.forgetAll();
    pops.wakeAll();
  }

  /** Answers who waits, lets calls under way finish, and ends. */
  void close() {
    engine.close(
        options.grace(),
        () -> {
          Hints.Subscription listening = subscription;
          if (listening != null) {
            listening.close();
          }
          pops.close();
        });
  }
}
