package io.holdfast.stream;

import io.holdfast.lease.Engine;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Work in this process, through the desks. */
record LocalWork(StreamEngine streams, PushDesk pushes, AckDesk acks) implements StreamWork {
  @Override
  public Engine engine() {
    return streams.engine;
  }

  @Override
  public void start() {
    streams.start();
  }

  @Override
  public Duration leaseTime(String queue) {
    return streams
        .directory
        .find(queue)
        .map(StreamInfo::settings)
        .orElse(StreamSettings.DEFAULTS)
        .seconds(StreamOption.LEASE_TIME);
  }

  @Override
  public Turn turn(List<Ack> verdicts, PopRequest request) {
    return acks.exchange(verdicts, request);
  }

  @Override
  public CompletableFuture<Void> calledOff() {
    return streams.pops.calledOff();
  }

  @Override
  public CompletableFuture<List<Acked>> ack(List<Ack> verdicts) {
    return acks.ack(verdicts, true);
  }

  @Override
  public CompletableFuture<Extended> extend(UUID leaseId, Duration by) {
    return acks.extend(new StreamLeases.Extension(leaseId, by), false);
  }

  @Override
  public void giveBack(UUID leaseId, @Nullable UUID partitionId) {
    StreamLeases.Returned returned =
        streams.engine.call(
            () -> streams.store.leases().release(leaseId, partitionId, streams.storeCall()));
    acks.released(returned.ready());
  }

  @Override
  public List<NewMessage> placed(List<NewMessage> messages) {
    return pushes.placed(messages);
  }

  @Override
  public CompletableFuture<List<Pushed>> push(List<NewMessage> messages) {
    return pushes.push(messages, null, false);
  }
}
