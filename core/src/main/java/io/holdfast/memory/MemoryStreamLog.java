package io.holdfast.memory;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Entry;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.Transacted;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Appending to {@link MemoryStreamData}. */
final class MemoryStreamLog implements StreamLog {
  private final MemoryStreamData data;

  MemoryStreamLog(MemoryStreamData data) {
    this.data = data;
  }

  @Override
  public PushAnswer push(List<Entry> entries, StoreCall call) {
    synchronized (data) {
      boolean isRefused = entries.stream().anyMatch(entry -> data.isRefusing(entry.queue()));
      for (Entry entry : entries) {
        if (!isRefused && data.isHolding(entry.queue())) {
          return new Holding(entry.queue());
        }
      }
      MemoryAppend append = new MemoryAppend(data, data.now());
      WrongForm wrong = append.refusal(entries);
      if (wrong != null) {
        return wrong;
      }
      append.make(entries);
      return new Appended(append.append(entries));
    }
  }

  /** Verdicts come before the appends, so that they make room for them. */
  @Override
  public TransactAnswer transact(
      List<Entry> entries, List<Ack> acks, Set<UUID> required, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      MemoryAppend append = new MemoryAppend(data, now);
      WrongForm wrong = append.refusal(entries);
      if (wrong != null) {
        return wrong;
      }
      append.make(entries);
      MemoryUndo undo = new MemoryUndo();
      List<Acked> acked = new MemoryAcks(data, required, undo::remember, now).settle(acks).acked();
      if (!acked.stream().allMatch(Acked::isSuccess)) {
        undo.undo();
        append.unmake();
        return new Settled(new Transacted(false, List.of(), acked));
      }
      List<Pushed> pushed = appendOr(undo, append, entries);
      return new Settled(new Transacted(true, pushed, acked));
    }
  }

  private static List<Pushed> appendOr(MemoryUndo undo, MemoryAppend append, List<Entry> entries) {
    try {
      return append.append(entries);
    } catch (QueueFullException full) {
      undo.undo();
      append.unmake();
      throw full;
    }
  }
}
