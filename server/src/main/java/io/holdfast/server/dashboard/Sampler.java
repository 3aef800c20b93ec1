package io.holdfast.server.dashboard;

import io.holdfast.HoldfastException;
import io.holdfast.lease.Duty;
import io.holdfast.lease.DutyRunner;
import io.holdfast.lease.Time;
import io.holdfast.server.http.Caller;
import io.holdfast.server.http.Outlet;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads figures for everybody who looks: while somebody listens, every two seconds, and otherwise
 * only when a scrape asks. Reading may be slow where much is stored, so it is done at most a tenth
 * of the time. A store that is away is said to be; what was known before is still shown. A listener
 * that does not keep up misses figures, so nothing piles up. Safe for use by many threads.
 */
final class Sampler implements Duty, AutoCloseable {
  static final long EVERY_MS = 2_000;
  private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);
  private static final long NANOS_PER_MS = 1_000_000;
  private static final long BEAT_EVERY_MS = 10_000;
  private static final int SHARE = 10;
  private static final byte[] BEAT = ": beat\n\n".getBytes(StandardCharsets.UTF_8);

  private final LongFunction<Figures> reading;
  private final Time time;
  private final InstantSource clock;
  private final List<DutyRunner> runners;
  private volatile boolean isRunning;
  private final History history = new History();
  private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
  private volatile Figures newest = Figures.NOTHING;
  private volatile CompletableFuture<Figures> wanted = new CompletableFuture<>();
  private volatile boolean isWanted;
  private volatile boolean isClosed;
  private volatile long dueNanos;
  private boolean isAway;

  /** Who looks. */
  private record Listener(View view, Outlet outlet) {}

  Sampler(LongFunction<Figures> reading, Time time, InstantSource clock) {
    this.reading = reading;
    this.time = time;
    this.clock = clock;
    this.dueNanos = time.nanos();
    this.runners =
        List.of(
            new DutyRunner("holdfast-dashboard", this, time),
            new DutyRunner("holdfast-dashboard-beat", new Heart(), time));
  }

  /** Works by itself from now on; a test steps it by hand. */
  Sampler start() {
    isRunning = true;
    return this;
  }

  private void wake() {
    if (isRunning) {
      runners.forEach(DutyRunner::wake);
    }
  }

  /** The newest figures, however old. */
  Figures newest() {
    return newest;
  }

  /** Figures that are not older than two seconds, if they can be had within {@code patience}. */
  Figures fresh(long patienceMs) {
    CompletableFuture<Figures> next = wanted;
    if (time.nanos() - dueNanos < 0 && newest.at() > 0) {
      return newest;
    }
    isWanted = true;
    wake();
    try {
      return next.get(patienceMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return newest;
    } catch (ExecutionException | TimeoutException e) {
      return newest;
    }
  }

  /** What a listener is sent first: the past, and what is known of now. */
  byte[] greeting(Caller caller) {
    View view = new View(caller);
    ByteArrayOutputStream greeting = new ByteArrayOutputStream();
    greeting.writeBytes(event("history", view.history(history.points())));
    if (newest.at() > 0) {
      greeting.writeBytes(event("snapshot", view.snapshot(newest)));
    }
    return greeting.toByteArray();
  }

  /** Sends figures as they come, until the listener leaves. */
  void listen(Caller caller, Outlet outlet) {
    Listener listener = new Listener(new View(caller), outlet);
    listeners.add(listener);
    outlet.onClosed(() -> listeners.remove(listener));
    if (isClosed) {
      outlet.end();
      return;
    }
    wake();
  }

  int listeners() {
    return listeners.size();
  }

  @Override
  public int work() {
    if (time.nanos() - dueNanos < 0 || isClosed || listeners.isEmpty() && !isWanted) {
      return 0;
    }
    isWanted = false;
    CompletableFuture<Figures> asked = wanted;
    wanted = new CompletableFuture<>();
    long startedAt = time.nanos();
    Figures read = read();
    boolean isFirst = newest.at() == 0; // loads classes, so its time says nothing
    newest = read;
    long tookMs = (time.nanos() - startedAt) / NANOS_PER_MS;
    dueNanos = Time.after(startedAt, Math.max(EVERY_MS, isFirst ? 0 : SHARE * tookMs));
    asked.complete(read);
    tell(read);
    return 1;
  }

  @Override
  public long dueNanos() {
    return listeners.isEmpty() && !isWanted ? Time.after(time.nanos(), 60_000) : dueNanos;
  }

  private Figures read() {
    long now = clock.millis();
    try {
      Figures read = reading.apply(now);
      history.add(read);
      isAway = false;
      return read;
    } catch (RuntimeException e) {
      if (!isAway) {
        LOG.warn("the figures cannot be read: {}", e.getMessage());
        isAway = true;
      }
      boolean isOurs = e instanceof HoldfastException;
      return newest.failed(now, isOurs ? String.valueOf(e.getMessage()) : "reading failed");
    }
  }

  private void tell(Figures figures) {
    Map<Object, byte[]> made = new HashMap<>();
    for (Listener listener : listeners) {
      if (!listener.outlet.isFull()) {
        listener.outlet.send(
            made.computeIfAbsent(
                listener.view.key(), view -> event("snapshot", listener.view.snapshot(figures))));
      }
    }
  }

  /** A sign of life, whatever the reading of figures is waiting for. */
  private final class Heart implements Duty {
    private long nextNanos = time.nanos();

    @Override
    public int work() {
      if (time.nanos() - nextNanos < 0) {
        return 0;
      }
      nextNanos = Time.after(time.nanos(), BEAT_EVERY_MS);
      for (Listener listener : listeners) {
        if (!listener.outlet.isFull()) {
          listener.outlet.send(BEAT);
        }
      }
      return 1;
    }

    @Override
    public long dueNanos() {
      return listeners.isEmpty() ? Time.after(time.nanos(), 60_000) : nextNanos;
    }
  }

  private static byte[] event(String name, byte[] json) {
    ByteArrayOutputStream event = new ByteArrayOutputStream(json.length + 32);
    event.writeBytes(("event: " + name + "\ndata: ").getBytes(StandardCharsets.UTF_8));
    event.writeBytes(json); // JSON has no line breaks
    event.writeBytes("\n\n".getBytes(StandardCharsets.UTF_8));
    return event.toByteArray();
  }

  /** Sends everybody away. */
  @Override
  public void close() {
    isClosed = true;
    listeners.forEach(listener -> listener.outlet.end());
    runners.forEach(DutyRunner::close);
  }
}
