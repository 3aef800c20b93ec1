package io.holdfast.stream;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The {@link Streams} over a store: checks arguments, and sends calls where they are served. */
public final class StreamService implements Streams {
  private final StreamEngine engine;
  private final PushDesk pushes;
  private final AckDesk acks;
  private final StreamClients clients;
  private final StreamAdmin admin;
  private final DeadLetters deadLetters;
  private final StreamBrowser browser;

  private StreamService(StreamEngine engine) {
    this.engine = engine;
    this.pushes = new PushDesk(engine);
    this.acks = new AckDesk(engine);
    this.clients = new StreamClients(new LocalWork(engine, pushes, acks));
    this.admin = new AdminHandle(engine);
    this.deadLetters = new DeadLettersHandle(engine);
    this.browser = new BrowserHandle(engine);
  }

  /** Streams over {@code store}; close them to end their duties. */
  public static StreamService over(StreamStore store, StreamOptions options) {
    return new StreamService(new StreamEngine(store, options));
  }

  @Override
  public StreamInfo configure(StreamConfig config) {
    StreamRules.checkConfig(config);
    StreamInfo info =
        engine.call(() -> engine.store.catalog().configure(config, engine.storeCall()));
    engine.becameDifferent(config.queue());
    return info;
  }

  @Override
  public boolean delete(String queue) {
    StreamRules.checkQueue(queue);
    boolean existed = engine.call(() -> engine.store.catalog().delete(queue, engine.storeCall()));
    engine.becameDifferent(queue);
    return existed;
  }

  @Override
  public List<Pushed> push(List<NewMessage> messages) {
    return push(messages, null);
  }

  @Override
  public List<Pushed> push(List<NewMessage> messages, @Nullable String producer) {
    return StreamEngine.join(pushes.push(messages, producer, true));
  }

  @Override
  public CompletableFuture<List<Pushed>> pushAsync(
      List<NewMessage> messages, @Nullable String producer) {
    return pushes.push(messages, producer, false);
  }

  @Override
  public Popped pop(PopRequest request) {
    return StreamEngine.join(engine.pops.pop(request, true));
  }

  @Override
  public CompletableFuture<Popped> popAsync(PopRequest request) {
    return engine.pops.pop(request, false);
  }

  @Override
  public List<Acked> ack(List<Ack> verdicts) {
    return StreamEngine.join(acks.ack(verdicts, true));
  }

  @Override
  public CompletableFuture<List<Acked>> ackAsync(List<Ack> verdicts) {
    return acks.ack(verdicts, false);
  }

  @Override
  public CompletableFuture<List<Acked>> ackAsync(List<Ack> verdicts, AckMode mode) {
    StreamRules.checkAcks(verdicts, false);
    return mode == AckMode.EXPLICIT
        ? acks.submit(verdicts, false)
        : new CumulativeAcks(engine, acks).ack(verdicts);
  }

  @Override
  public CompletableFuture<Void> calledOff() {
    return engine.pops.calledOff();
  }

  @Override
  public CompletableFuture<AckedAndPopped> ackAndPop(List<Ack> verdicts, PopRequest request) {
    StreamWork.Turn exchange = acks.exchange(verdicts, request);
    CompletableFuture<AckedAndPopped> both = new CompletableFuture<>();
    exchange
        .popped()
        .whenComplete(
            (popped, failure) -> {
              if (popped == null || failure != null) {
                both.completeExceptionally(StreamEngine.asStreamException(failure));
              } else {
                AckedAndPopped answer = new AckedAndPopped(exchange.acked().join(), popped);
                engine.pops.deliver(both, answer, popped);
              }
            });
    both.whenComplete((answer, failure) -> exchange.popped().cancel(true));
    return both;
  }

  @Override
  public Extended extend(UUID leaseId, Duration by) {
    StreamRules.checkId("leaseId", leaseId);
    StreamRules.checkLease("the extension", by);
    Extended extended =
        StreamEngine.join(acks.extend(new StreamLeases.Extension(leaseId, by), true));
    if (extended.partitions() == 0) {
      throw lost(leaseId);
    }
    return extended;
  }

  private static StreamException lost(UUID leaseId) {
    return new StreamException(
        StreamError.LEASE_LOST, "lease " + leaseId + " holds no partition any more", null);
  }

  @Override
  public int release(UUID leaseId, @Nullable UUID partitionId) {
    StreamRules.checkId("leaseId", leaseId);
    StreamLeases.Returned returned =
        engine.call(() -> engine.store.leases().release(leaseId, partitionId, engine.storeCall()));
    acks.released(returned.ready());
    if (returned.partitions() == 0) {
      throw lost(leaseId);
    }
    return returned.partitions();
  }

  @Override
  public Transacted transact(List<NewMessage> messages, List<Ack> verdicts) {
    StreamRules.checkAcks(verdicts, true);
    return pushes.transact(messages, verdicts, Set.of(), null);
  }

  @Override
  public Transacted transact(
      List<NewMessage> messages,
      List<Ack> verdicts,
      Set<UUID> required,
      @Nullable String producer) {
    StreamRules.checkAcks(verdicts, false);
    return pushes.transact(messages, verdicts, required, producer);
  }

  @Override
  public StreamConsumer consume(
      String queue, String group, MessageHandler handler, ConsumerOptions options) {
    return clients.consume(queue, group, handler, options);
  }

  @Override
  public StreamConsumer consumeBatches(
      String queue, String group, BatchHandler handler, ConsumerOptions options) {
    return clients.consumeBatches(queue, group, handler, options);
  }

  @Override
  public StreamProducer producer(ProducerOptions options) {
    return clients.producer(options);
  }

  @Override
  public StreamAdmin admin() {
    return admin;
  }

  @Override
  public DeadLetters deadLetters() {
    return deadLetters;
  }

  @Override
  public StreamBrowser browser() {
    return browser;
  }

  @Override
  public void start() {
    engine.start();
  }

  @Override
  public void ping() {
    engine.call(() -> engine.store.catalog().pausedAll(engine.storeCall()));
  }

  /** Pops that wait here. */
  public int waiting() {
    return engine.pops.waiting();
  }

  /** Steps each duty once and says how much was done; for tests of stepped services. */
  public int step() {
    engine.start();
    return engine.engine.step();
  }

  /** Payloads as they are stored and read here, for transactions on callers' connections. */
  public Sealer sealer() {
    return engine.sealer;
  }

  /** Takes over what the store said about a queue. */
  public void remember(StreamInfo queue) {
    engine.directory.take(queue);
  }

  /** Tells waiting pops, here and elsewhere, that something was pushed to this queue. */
  public void wake(String queue) {
    engine.becameReady(queue);
  }

  @Override
  public void close() {
    clients.close();
    engine.close();
    pushes.close();
    acks.close();
  }
}
