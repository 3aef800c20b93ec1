package io.holdfast.client.stream;

import io.holdfast.client.http.Channel;
import io.holdfast.client.http.Request;
import io.holdfast.lease.Engine;
import io.holdfast.lease.Time;
import io.holdfast.stream.Ack;
import io.holdfast.stream.AckMode;
import io.holdfast.stream.Acked;
import io.holdfast.stream.BatchHandler;
import io.holdfast.stream.ConsumerOptions;
import io.holdfast.stream.DeadLetters;
import io.holdfast.stream.Extended;
import io.holdfast.stream.MessageHandler;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.ProducerOptions;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamAdmin;
import io.holdfast.stream.StreamBrowser;
import io.holdfast.stream.StreamClients;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamConsumer;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamProducer;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.StreamSettings;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Transacted;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * {@link Streams} of a server. Consumers and producers run in this process. The authenticated name
 * of a producer is that of the client's token; no other can be given. Safe for use by many threads.
 */
public final class HttpStreams implements Streams {
  private static final Duration GRACE = Duration.ofSeconds(10);

  private final StreamCalls calls;
  private final HttpPops pops;
  private final Engine engine;
  private final StreamClients clients;
  private final StreamAdmin admin;
  private final DeadLetters deadLetters;
  private final StreamBrowser browser;

  /** Over this channel, which stays open when these are closed. */
  public HttpStreams(Channel channel, Time time) {
    this.calls = new StreamCalls(channel);
    this.pops = new HttpPops(calls);
    this.engine = new Engine("holdfast-stream-client", time, false);
    this.admin = new HttpStreamAdmin(calls);
    this.deadLetters = new HttpDeadLetters(calls);
    this.browser = new HttpStreamBrowser(calls);
    this.clients = new StreamClients(new HttpWork(this, calls, engine));
  }

  @Override
  public StreamInfo configure(StreamConfig config) {
    StreamRules.checkConfig(config);
    Map<String, @Nullable Object> options = new LinkedHashMap<>();
    config.options().forEach((option, value) -> options.put(option.text(), value));
    PushWire.Configure body =
        new PushWire.Configure(
            config.queue(),
            config.namespace(),
            config.task(),
            options,
            config.isReplacing() ? "replace" : "merge");
    return info(StreamCalls.join(calls.post("/api/v1/configure", body, PushWire.Configured.class)));
  }

  private static StreamInfo info(PushWire.Configured answer) {
    StreamInfo.Key key =
        StreamIds.partition(uuid(answer.partitionId()))
            .map(StreamIds.PartitionKey::queue)
            .orElseThrow(
                () -> new StreamException(StreamError.INTERNAL, "a partition of nobody", null));
    String push = answer.paused().push();
    return new StreamInfo(
        key,
        uuid(answer.queueId()),
        answer.queue(),
        new StreamInfo.Labels(answer.namespace(), answer.task()),
        StreamSettings.of(ExactTypes.options(answer.options())),
        new StreamInfo.Paused(push != null, answer.paused().pop(), "hold".equals(push)),
        Instant.parse(answer.createdAt()));
  }

  private static UUID uuid(String text) {
    return Objects.requireNonNull(WireTexts.id(text), "an id of the server");
  }

  @Override
  public boolean delete(String queue) {
    StreamRules.checkQueue(queue);
    Request request =
        new Request(
            "DELETE",
            "/api/v1/resources/queues/" + Request.encoded(queue),
            null,
            Duration.ZERO,
            false,
            Map.of());
    return StreamCalls.join(
        calls.send(request, reply -> StreamCalls.read(reply, PushWire.Deleted.class).existed()));
  }

  @Override
  public List<Pushed> push(List<NewMessage> messages) {
    return push(messages, null);
  }

  @Override
  public List<Pushed> push(List<NewMessage> messages, @Nullable String producer) {
    return StreamCalls.join(pushAsync(messages, producer));
  }

  @Override
  public CompletableFuture<List<Pushed>> pushAsync(
      List<NewMessage> messages, @Nullable String producer) {
    StreamRules.checkPush(messages);
    checkProducer(producer);
    calls.checkOpen();
    if (messages.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    PushWire.Push body = new PushWire.Push(List.copyOf(items(messages)));
    return calls.send(
        Request.post("/api/v1/push", StreamJson.write(body)),
        reply ->
            Arrays.stream(StreamCalls.read(reply, PushWire.Pushed[].class))
                .map(WireMessages::pushed)
                .toList());
  }

  private static List<PushWire.Item> items(List<NewMessage> messages) {
    return messages.stream().map(WireMessages::item).toList();
  }

  private static void checkProducer(@Nullable String producer) {
    StreamRules.require(
        producer == null, "the producer of a client is the name of its token and cannot be given");
  }

  @Override
  public Popped pop(PopRequest request) {
    return StreamCalls.join(popAsync(request));
  }

  @Override
  public CompletableFuture<Popped> popAsync(PopRequest request) {
    StreamRules.checkPop(request);
    long askedNanos = engine.time().nanos();
    UUID id = idOf(request);
    return pops.begin(
        calls.send(
            PopPath.of(request, id),
            reply ->
                WireMessages.popped(
                    request.group(),
                    StreamCalls.readOrNull(reply, PopWire.Popped.class),
                    askedNanos)),
        id,
        Popped::leaseId);
  }

  /** What a pop is known by while it waits; null if it does not. */
  private static @Nullable UUID idOf(PopRequest request) {
    return request.timeout().isZero() ? null : UUID.randomUUID();
  }

  @Override
  public CompletableFuture<Void> calledOff() {
    return pops.calledOff();
  }

  @Override
  public List<Acked> ack(List<Ack> acks) {
    return StreamCalls.join(ackAsync(acks));
  }

  @Override
  public CompletableFuture<List<Acked>> ackAsync(List<Ack> acks) {
    StreamRules.checkAcks(acks, true);
    return ackAsync(acks, AckMode.EXPLICIT);
  }

  @Override
  public CompletableFuture<List<Acked>> ackAsync(List<Ack> acks, AckMode mode) {
    StreamRules.checkAcks(acks, false);
    calls.checkOpen();
    if (acks.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    String word = mode == AckMode.EXPLICIT ? "explicit" : "cumulative";
    return calls.send(
        Request.post("/api/v1/ack/batch", StreamJson.write(batch(acks, word))),
        reply -> acked(List.of(StreamCalls.read(reply, AckWire.Acked[].class))));
  }

  private static AckWire.Batch batch(List<Ack> acks, String mode) {
    return new AckWire.Batch(
        null, mode, List.copyOf(acks.stream().map(WireMessages::ack).toList()));
  }

  private static List<Acked> acked(List<AckWire.Acked> results) {
    return results.stream().map(WireMessages::acked).toList();
  }

  @Override
  public CompletableFuture<AckedAndPopped> ackAndPop(List<Ack> acks, PopRequest request) {
    StreamRules.checkAcks(acks, true);
    StreamRules.checkPop(request);
    long askedNanos = engine.time().nanos();
    UUID id = idOf(request);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("ack", batch(acks, "explicit"));
    body.put("pop", PopPath.parameters(request, id));
    return pops.begin(
        calls.send(
            Request.post("/api/v1/ack-pop", StreamJson.write(body)).waiting(request.timeout()),
            reply -> {
              AckWire.AckedPopped both = StreamCalls.read(reply, AckWire.AckedPopped.class);
              return new AckedAndPopped(
                  acked(both.ack()), WireMessages.popped(request.group(), both.pop(), askedNanos));
            }),
        id,
        both -> both.popped().leaseId());
  }

  @Override
  public Extended extend(UUID leaseId, Duration by) {
    StreamRules.checkId("leaseId", leaseId);
    StreamRules.checkLease("the extension", by);
    Extended extended = StreamCalls.join(extendAsync(leaseId, by));
    if (extended.partitions() == 0) {
      throw lost(leaseId);
    }
    return extended;
  }

  CompletableFuture<Extended> extendAsync(UUID leaseId, Duration by) {
    long seconds = by.plusMillis(999).toSeconds();
    return calls.send(
        Request.post(
                "/api/v1/lease/" + leaseId + "/extend",
                StreamJson.write(Map.of("seconds", seconds)))
            .repeatable(),
        reply -> {
          AckWire.Extended answer = StreamCalls.read(reply, AckWire.Extended.class);
          String until = answer.expiresAt();
          return until == null
              ? Extended.LOST
              : new Extended(answer.partitions(), Instant.parse(until));
        });
  }

  private static StreamException lost(UUID leaseId) {
    return new StreamException(
        StreamError.LEASE_LOST, "lease " + leaseId + " holds no partition any more", null);
  }

  @Override
  public int release(UUID leaseId, @Nullable UUID partitionId) {
    StreamRules.checkId("leaseId", leaseId);
    AckWire.Release body = new AckWire.Release(partitionId == null ? null : partitionId.toString());
    int partitions =
        StreamCalls.join(
                calls.post("/api/v1/lease/" + leaseId + "/release", body, AckWire.Released.class))
            .partitions();
    if (partitions == 0) {
      throw lost(leaseId);
    }
    return partitions;
  }

  @Override
  public Transacted transact(List<NewMessage> messages, List<Ack> acks) {
    StreamRules.checkAcks(acks, true);
    return transact(messages, acks, Set.of(), null);
  }

  @Override
  public Transacted transact(
      List<NewMessage> messages, List<Ack> acks, Set<UUID> required, @Nullable String producer) {
    StreamRules.checkPush(messages);
    StreamRules.checkAcks(acks, false);
    checkProducer(producer);
    calls.checkOpen();
    if (messages.isEmpty() && acks.isEmpty()) {
      return new Transacted(true, List.of(), List.of());
    }
    return Transactions.read(
        StreamCalls.join(
            calls.post(
                "/api/v1/transaction",
                Transactions.body(items(messages), acks, required),
                AckWire.Transacted.class)));
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
    calls.checkOpen();
    engine.start(() -> {});
  }

  @Override
  public void ping() {
    calls.ask("ping", Map.of(), Boolean.class);
  }

  @Override
  public void close() {
    clients.close();
    pops.close();
    calls.close();
    engine.close(GRACE, () -> {});
  }
}
