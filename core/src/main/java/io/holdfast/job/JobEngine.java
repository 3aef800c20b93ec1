package io.holdfast.job;

import io.holdfast.lease.Background;
import io.holdfast.lease.Causes;
import io.holdfast.lease.Coalescer;
import io.holdfast.lease.Engine;
import io.holdfast.lease.Hints;
import io.holdfast.lease.News;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What all job operations of one service share: the store, the clock, threads and duties, and who
 * is told when something happens. Safe for use by many threads.
 */
final class JobEngine implements Hints.Listener, News.Reader {
  private static final String UNWANTED = "unwanted/";
  private static final int FUSED_ROWS = 500;
  private static final int STATEMENTS_AT_ONCE = 2;
  private static final int MAX_WAITING = 100_000;
  private static final int LOOKS_AT_ONCE = 8;

  final JobBackend backend;
  final JobOptions options;
  final Engine engine;
  final Time time;
  final JobIds ids;
  private final News news;
  private final Admission admission;
  private final Coalescer.Room room =
      new Coalescer.Room(
          MAX_WAITING, () -> JobException.unavailable("too many calls wait; try again", null));
  private final ExecutorService looks = Background.tasks("holdfast-job-wait", LOOKS_AT_ONCE);
  private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
  private volatile Hints.@Nullable Subscription subscription;

  /** Hears about queues; it must not block. */
  interface Listener {
    /** Something in the queue may run; null: in any queue. */
    void runnable(@Nullable String queue);

    /** The queue may have been paused or resumed; null: any. */
    void changed(@Nullable String queue);

    /** A run of this job, if there is one here, may have been asked to end; null: any run. */
    default void unwanted(@Nullable String id) {}

    /** The service is about to end: who has to wait for something begins to. */
    default void closingSoon() {}

    /** The service ends. */
    void closing();
  }

  JobEngine(JobBackend backend, JobOptions options) {
    this.backend = backend;
    this.options = options;
    this.time = backend.time();
    this.engine = new Engine("holdfast-job", time, options.isStepped());
    this.ids = new JobIds(() -> time.databaseMs().orElseGet(System::currentTimeMillis));
    this.news = new News(backend.hints(), engine.timers(), time);
    this.admission = new Admission(this);
    if (options.hasDuties()) {
      engine.add(new Rota(this));
    }
  }

  /** Begins the duties, once. */
  void start() {
    if (engine.isClosed()) {
      throw JobException.closed();
    }
    engine.start(() -> subscription = backend.hints().listen(this));
  }

  StoreCall storeCall() {
    return engine.storeCall();
  }

  /** Makes a call to the store on the calling thread. */
  <T> T call(Supplier<T> call) {
    start();
    return engine.call(call);
  }

  /** Looks for somebody who waits: a few at a time, however many wait. */
  void look(Runnable look) {
    try {
      looks.execute(() -> engine.guarded("reserving", look));
    } catch (RejectedExecutionException e) {
      engine.background("reserving", look); // closed just now
    }
  }

  /** Returns jobs that were leased for somebody who does not want them any more; how many. */
  int giveBack(Reserved late) {
    if (!late.jobs().isEmpty()) {
      spread(backend.store().settle(late.returned(), storeCall()).effects());
    }
    return late.jobs().size();
  }

  void add(Listener listener) {
    listeners.add(listener);
  }

  void remove(Listener listener) {
    listeners.remove(listener);
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
        new Coalescer.Shape<>("job." + operation, rows, names, JobEngine::isOneCallersFault),
        width,
        room,
        engine.tasks());
  }

  /** Whether the others of a fused call would do better without somebody. */
  private static boolean isOneCallersFault(RuntimeException e) {
    return e instanceof JobException failure
        && switch (failure.error()) {
          case STORE_UNAVAILABLE, STORE_CLOSED, ABORTED -> false;
          default -> true;
        };
  }

  static JobException asJobException(@Nullable Throwable failure) {
    Throwable e = Causes.ofNullable(failure);
    if (e instanceof JobException known) {
      return known;
    }
    if (e instanceof CancellationException) {
      return new JobException(JobError.ABORTED, "the call was cancelled", e);
    }
    return new JobException(JobError.INTERNAL, "internal failure; " + e, e);
  }

  /** The answer, waited for; an interrupt calls it off. */
  static <T> T join(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new JobException(JobError.ABORTED, "the waiting thread was interrupted", e);
    } catch (ExecutionException | CancellationException e) {
      throw asJobException(e);
    }
  }

  /** Passes an answer on, with failures of our own kind. */
  static <T> BiConsumer<@Nullable T, @Nullable Throwable> complete(CompletableFuture<T> future) {
    return (answer, failure) -> {
      if (failure != null || answer == null) {
        future.completeExceptionally(asJobException(failure));
      } else {
        future.complete(answer);
      }
    };
  }

  /** Tells whom it concerns, here and elsewhere, what a transition means. */
  void spread(Effects effects) {
    effects.runnable().forEach(this::becameRunnable);
    admission.admit(effects.keys());
  }

  void becameRunnable(String queue) {
    runnable(queue);
    news.ready(queue);
  }

  /** The queue was paused, resumed or set up in another way. */
  void becameDifferent(String queue) {
    changed(queue);
    news.changed(queue);
  }

  /** Runs of these jobs were asked to end, wherever they are. */
  void becameUnwanted(Collection<String> ids) {
    for (String id : ids) {
      unwanted(id);
      backend.hints().send(UNWANTED + id);
    }
  }

  private void unwanted(@Nullable String id) {
    listeners.forEach(listener -> listener.unwanted(id));
  }

  /** Runs a callback of a user's, which may do anything, where it holds nobody up. */
  void tell(Runnable callback) {
    if (options.isStepped()) {
      engine.guarded("a callback", callback);
    } else {
      engine.background("a callback", callback);
    }
  }

  @Override
  public void hinted(String topic) {
    if (topic.startsWith(UNWANTED)) {
      unwanted(topic.substring(UNWANTED.length()));
    } else {
      news.read(topic, this);
    }
  }

  @Override
  public void ready(String queue) {
    runnable(queue);
  }

  @Override
  public void changed(String queue) {
    listeners.forEach(listener -> listener.changed(queue));
    runnable(queue);
  }

  private void runnable(@Nullable String queue) {
    listeners.forEach(listener -> listener.runnable(queue));
  }

  @Override
  public void mayHaveMissedSome() {
    listeners.forEach(listener -> listener.changed(null));
    unwanted(null);
    runnable(null);
  }

  /** Stops workers, answers who waits, lets calls under way finish, and ends. */
  void close() {
    listeners.forEach(Listener::closingSoon);
    listeners.forEach(Listener::closing);
    engine.close(
        options.grace(),
        () -> {
          Hints.Subscription listening = subscription;
          if (listening != null) {
            listening.close();
          }
          listeners.forEach(Listener::closing); // who came while the others were told
        });
    looks.shutdown();
  }
}
