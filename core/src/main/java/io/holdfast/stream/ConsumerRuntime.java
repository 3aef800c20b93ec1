package io.holdfast.stream;

import io.holdfast.lease.Background;
import io.holdfast.lease.KeptLease;
import io.holdfast.lease.Lease;
import io.holdfast.lease.LeaseKeeper;
import io.holdfast.lease.LeaseKey;
import io.holdfast.lease.LossReason;
import io.holdfast.lease.Reserve;
import io.holdfast.lease.Signal;
import io.holdfast.lease.Time;
import io.holdfast.lease.Trust;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer: as many threads as partitions may be handled at once. Each claims one partition,
 * handles its batch in order, and settles it together with its next claim, in one statement that it
 * shares with the other threads.
 */
final class ConsumerRuntime implements StreamConsumer {
  private static final Logger LOG = LoggerFactory.getLogger(ConsumerRuntime.class);
  private static final Duration POLL = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final StreamWork work;
  private final Time time;
  private final String queue;
  private final String group;
  private final BatchRun handler;
  private final ConsumerOptions options;
  private final Consumer<AutoCloseable> ended;
  private final LeaseKeeper keeper;
  private final ConsumerStats stats;
  private final ExecutorService threads = Background.tasks("holdfast-stream-consumer");
  private final Signal stopping = new Signal();
  private final Set<CompletableFuture<Popped>> asking = new HashSet<>();
  private volatile boolean stopped;

  /** Handles a batch: leaves its verdicts in it. */
  interface BatchRun {
    void handle(HeldBatch held, ConsumerRuntime consumer) throws Exception;
  }

  /** What is consumed, and on whose behalf. */
  record Source(String queue, String group) {}

  /** {@code ended} hears of it when it is closed. */
  ConsumerRuntime(
      StreamWork work,
      Source source,
      BatchRun handler,
      ConsumerOptions options,
      Consumer<AutoCloseable> ended) {
    this.work = work;
    this.time = work.engine().time();
    this.queue = source.queue();
    this.group = source.group();
    this.handler = handler;
    this.options = options;
    this.ended = ended;
    this.keeper = new LeaseKeeper(time, new LeaseRenewer(work), Reserve.none());
    this.stats = new ConsumerStats(time, options.concurrency());
  }

  /** Begins to claim. */
  ConsumerRuntime started() {
    for (int i = 0; i < options.concurrency(); i++) {
      threads.execute(this::run);
    }
    return this;
  }

  boolean isStopped() {
    return stopped;
  }

  /** One thread: claims, handles, settles with the next claim. */
  private void run() {
    HeldBatch done = null;
    while (!stopped) {
      HeldBatch held = turn(done);
      done = held == null ? null : handled(held);
      Thread.interrupted(); // an interrupt was meant for the handler
    }
    if (done != null) {
      settle(done);
    }
  }

  /** Settles what was done and claims the next; null when there is nothing to handle now. */
  private @Nullable HeldBatch turn(@Nullable HeldBatch done) {
    List<Ack> verdicts = done == null ? List.of() : done.verdicts;
    Duration ttl;
    StreamWork.Turn exchange = null;
    try {
      ttl = leaseFor();
      exchange = work.turn(verdicts, request(ttl));
      judge(done, StreamEngine.join(exchange.acked()));
    } catch (StreamException e) {
      if (exchange != null) {
        exchange.popped().cancel(true); // nobody will handle what it brings
      }
      failed(e, done);
      return null;
    } finally {
      if (done != null && done.kept != null) {
        keeper.end(done.kept);
      }
    }
    Popped popped = await(exchange.popped());
    return popped == null ? null : hold(popped, popped.batches().get(0), ttl);
  }

  private @Nullable Popped await(CompletableFuture<Popped> popped) {
    synchronized (asking) {
      asking.add(popped);
    }
    if (stopped) {
      popped.cancel(true);
    }
    try {
      Popped got = StreamEngine.join(popped);
      return got.isEmpty() ? null : got;
    } catch (StreamException e) {
      if (!stopped) {
        failed(e, null);
      }
      return null;
    } finally {
      synchronized (asking) {
        asking.remove(popped);
      }
    }
  }

  private PopRequest request(Duration ttl) {
    return PopRequest.of(queue)
        .group(group)
        .startingAt(options.start())
        .batch(options.batch())
        .leaseFor(ttl)
        .waiting(POLL);
  }

  private Duration leaseFor() {
    Duration own = options.leaseFor();
    return own != null ? own : work.leaseTime(queue);
  }

  /** A turn that failed: what was done is settled later, as long as the lease lasts. */
  private void failed(StreamException e, @Nullable HeldBatch done) {
    if (e.error() == StreamError.CLOSED
        && work.engine().isClosed()) { // not just a server that ends
      stopped = true;
      return;
    }
    LOG.warn("consuming {} as {} failed and is repeated: {}", queue, group, e.getMessage());
    boolean isOpen = done != null && !done.verdicts.isEmpty();
    pause();
    while (isOpen && !stopped && done.isHeld() && !settle(done)) {
      pause();
    }
  }

  private void pause() {
    stopping.await(time, Time.after(time.nanos(), PAUSE.toMillis()));
  }

  private boolean settle(HeldBatch done) {
    try {
      judge(done, StreamEngine.join(work.ack(done.verdicts)));
      return true;
    } catch (StreamException e) {
      LOG.warn("a batch of {} could not be settled: {}", queue, e.getMessage());
      return false;
    } finally {
      if (done.kept != null && (stopped || !done.isHeld())) {
        keeper.end(done.kept);
      }
    }
  }

  /** Tells of refused verdicts, and gives back what none was about. */
  private void judge(@Nullable HeldBatch done, List<Acked> acked) {
    if (done == null) {
      return;
    }
    List<Ack> verdicts = done.verdicts;
    for (int i = 0; i < acked.size(); i++) {
      StreamError error = acked.get(i).error();
      if (error != null) {
        LOG.warn(
            "message {} of {} could not be settled and will come again: {}",
            verdicts.get(i).message(),
            queue,
            error);
      }
    }
    if (acked.stream().noneMatch(Acked::isReleased)) {
      // The last verdict gave its message up, or was refused: nothing has ended the lease.
      giveBack(done);
    }
  }

  /** Handles what came; null when nothing is left to settle. */
  private @Nullable HeldBatch handled(HeldBatch held) {
    long beganNanos = time.nanos();
    try {
      if (held.kept != null) {
        held.kept.interruptOnLoss(Thread.currentThread());
      }
      if (stopped) {
        release(held);
        return null;
      }
      handler.handle(held, this);
    } catch (Exception e) {
      throw new IllegalStateException("what a handler throws is a verdict", e);
    } finally {
      if (held.kept != null) {
        held.kept.interruptNobody(); // settling ends the lease, which a renewal may take for a loss
      }
      stats.handled(held.batch, time.nanos() - beganNanos, held.verdicts);
    }
    if (!held.isHeld()) {
      // Somebody else has it, or will: what was decided here counts for nothing.
      end(held);
      return null;
    }
    if (held.isSettled() || held.verdicts.isEmpty()) {
      end(held);
      if (!held.isSettled()) {
        release(held);
      }
      return null;
    }
    return held;
  }

  private void end(HeldBatch held) {
    if (held.kept != null) {
      keeper.end(held.kept);
    }
  }

  /** Gives back what was not handled, after settling what was. */
  void release(HeldBatch held) {
    if (held.verdicts.isEmpty() || !settle(held)) {
      giveBack(held);
    }
    end(held);
  }

  private void giveBack(HeldBatch held) {
    end(held);
    try {
      work.giveBack(held.leaseId(), held.batch.partitionId());
    } catch (StreamException e) {
      LOG.warn("a batch of {} could not be given back: {}", queue, e.getMessage());
    }
  }

  private HeldBatch hold(Popped popped, Batch batch, Duration ttl) {
    Batch.Held lease = batch.lease();
    if (lease == null) {
      throw new StreamException(StreamError.INTERNAL, "a claim without a lease", null);
    }
    Trust trust = new Trust(time, popped.claimedNanos(), ttl.toMillis());
    HeldBatch held = new HeldBatch(group, batch, lease, trust);
    if (options.isRenewing()) {
      LeaseRenewer.Token token = new LeaseRenewer.Token(lease.id());
      held.kept =
          keeper.keep(new Lease(new LeaseKey("stream", queue), token, ttl), trust, new Loss(held));
    }
    return held;
  }

  /** Hears what becomes of a batch's lease. */
  private record Loss(HeldBatch held) implements KeptLease.Listener {
    @Override
    public void renewed(long expiresAtMs) {}

    @Override
    public void lost(LossReason reason) {
      LOG.warn("the lease of partition {} was lost: {}", held.batch.partition(), reason);
    }
  }

  @Override
  public Stats stats() {
    return stats.now();
  }

  /** Wakes whoever waits, and lets handlers finish; what they have not begun goes back. */
  @Override
  public void close() {
    List<CompletableFuture<Popped>> open;
    synchronized (asking) {
      if (stopped && threads.isShutdown()) {
        return;
      }
      stopped = true;
      open = new ArrayList<>(asking);
    }
    for (int i = 0; i < options.concurrency(); i++) {
      stopping.raise();
    }
    open.forEach(popped -> popped.cancel(true));
    threads.shutdown();
    try {
      if (!threads.awaitTermination(options.grace().toMillis(), TimeUnit.MILLISECONDS)) {
        threads.shutdownNow();
        threads.awaitTermination(2, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
    awaitCalledOff();
    keeper.close();
    ended.accept(this);
  }

  /**
   * Waits until no claim is left under way here; a store that does not answer is not waited for.
   */
  private void awaitCalledOff() {
    try {
      work.calledOff().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("a claim of {} is still under way; what it takes goes back", queue);
    }
  }
}
