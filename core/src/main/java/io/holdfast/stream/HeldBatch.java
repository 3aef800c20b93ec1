package io.holdfast.stream;

import io.holdfast.lease.KeptLease;
import io.holdfast.lease.Trust;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A partition's batch in a consumer's hands, and what was decided about its messages so far. Used
 * by one thread; only whether it is held is asked by others.
 */
final class HeldBatch implements HandlingBatch {
  final Batch batch;
  final List<Ack> verdicts = new ArrayList<>();
  private final String group;
  private final Batch.Held lease;
  private final Trust trust;
  @Nullable KeptLease kept;
  private boolean isSettled;

  HeldBatch(String group, Batch batch, Batch.Held lease, Trust trust) {
    this.group = group;
    this.batch = batch;
    this.lease = lease;
    this.trust = trust;
  }

  @Override
  public List<Message> messages() {
    return batch.deliveries().stream().map(Delivery::message).toList();
  }

  @Override
  public UUID leaseId() {
    return lease.id();
  }

  @Override
  public long fence() {
    return lease.fence();
  }

  @Override
  public boolean isHeld() {
    KeptLease renewed = kept;
    return renewed == null ? trust.holds() : renewed.isHeld();
  }

  @Override
  public List<Ack> completed() {
    return messages().stream().map(m -> Ack.of(group, batch, m, Verdict.COMPLETED)).toList();
  }

  @Override
  public void settled() {
    isSettled = true;
  }

  boolean isSettled() {
    return isSettled;
  }

  /** Notes a verdict. */
  void judge(Message message, Verdict verdict, @Nullable String why) {
    verdicts.add(Ack.of(group, batch, message, verdict).because(why));
  }

  /** One of its messages. */
  final class One implements Handling {
    private final Delivery delivery;
    private final Pusher streams;
    private boolean isMessageSettled;

    One(Delivery delivery, Pusher streams) {
      this.delivery = delivery;
      this.streams = streams;
    }

    @Override
    public Message message() {
      return delivery.message();
    }

    @Override
    public int attempt() {
      return delivery.attempt();
    }

    @Override
    public UUID leaseId() {
      return lease.id();
    }

    @Override
    public long fence() {
      return lease.fence();
    }

    @Override
    public boolean isHeld() {
      return HeldBatch.this.isHeld();
    }

    @Override
    public Ack completed() {
      return Ack.of(group, batch, message(), Verdict.COMPLETED);
    }

    @Override
    public void settled() {
      isMessageSettled = true;
    }

    boolean isMessageSettled() {
      return isMessageSettled;
    }

    @Override
    public List<Pushed> push(List<NewMessage> messages) {
      UUID trace = message().traceId();
      return streams.push(
          messages.stream().map(m -> m.traceId() == null ? m.traced(trace) : m).toList());
    }
  }

  /** What a handler may do besides handling. */
  interface Pusher {
    List<Pushed> push(List<NewMessage> messages);
  }
}
