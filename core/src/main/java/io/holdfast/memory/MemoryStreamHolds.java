package io.holdfast.memory;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Entry;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamHolds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamLog;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Pushes that {@link MemoryStreamData} has put by. */
final class MemoryStreamHolds implements StreamHolds {
  private static final int STEP = 500;

  private final MemoryStreamData data;

  MemoryStreamHolds(MemoryStreamData data) {
    this.data = data;
  }

  @Override
  public void begin(@Nullable String queue, StoreCall call) {
    synchronized (data) {
      if (queue == null) {
        data.paused = new StreamInfo.Paused(true, data.paused.pop(), true);
      } else {
        MemoryStream found = data.get(queue);
        found.paused = new StreamInfo.Paused(true, found.paused.pop(), true);
      }
    }
  }

  @Override
  public Optional<StreamLog.PushAnswer> hold(List<Entry> entries, StoreCall call) {
    synchronized (data) {
      List<Entry> others = entries.stream().filter(e -> !data.isHolding(e.queue())).toList();
      if (others.size() == entries.size()) {
        return Optional.empty();
      }
      checkAllowed(entries, entries.size() - others.size());
      MemoryAppend append = new MemoryAppend(data, data.now());
      StreamLog.WrongForm wrong = append.wrongForm(entries);
      if (wrong != null) {
        return Optional.of(wrong);
      }
      append.make(others);
      List<Pushed> appended = append.append(others);
      return Optional.of(new StreamLog.Appended(merged(entries, appended)));
    }
  }

  private void checkAllowed(List<Entry> entries, int more) {
    for (Entry entry : entries) {
      if (data.isRefusing(entry.queue()) || data.held.size() + more > MOST) {
        throw new StreamException(
            StreamError.PAUSED, "pushes to queue '" + entry.queue() + "' are paused", null);
      }
    }
  }

  private List<Pushed> merged(List<Entry> entries, List<Pushed> appended) {
    Set<String> held = new LinkedHashSet<>();
    entries.stream().map(Entry::queue).filter(data::isHolding).forEach(held::add);
    List<Pushed> all = new ArrayList<>();
    int next = 0;
    for (Entry entry : entries) {
      all.add(held.contains(entry.queue()) ? put(entry) : appended.get(next++));
    }
    return all;
  }

  private Pushed put(Entry entry) {
    String given = entry.transactionId();
    Entry named =
        new Entry(
            entry.queue(),
            entry.partition(),
            entry.payload(),
            entry.isEncrypted(),
            given == null ? UUID.randomUUID().toString() : given,
            entry.traceId(),
            entry.producer());
    data.held.add(named);
    return Pushed.buffered(String.valueOf(named.transactionId()), named.traceId());
  }

  @Override
  public long count(@Nullable String queue, StoreCall call) {
    synchronized (data) {
      return data.held.stream().filter(e -> queue == null || e.queue().equals(queue)).count();
    }
  }

  @Override
  public Drained drain(Reform reform, StoreCall call) {
    synchronized (data) {
      Set<String> names = new LinkedHashSet<>();
      data.held.stream().map(Entry::queue).filter(name -> !data.isPaused(name)).forEach(names::add);
      Set<String> drained = new LinkedHashSet<>();
      int messages = 0;
      for (String name : names) {
        int stored = drain(name, STEP, reform);
        messages += stored;
        if (stored > 0) {
          drained.add(name);
        }
      }
      return new Drained(messages, drained);
    }
  }

  private int drain(String queue, int limit, Reform reform) {
    List<Entry> next =
        data.held.stream().filter(e -> e.queue().equals(queue)).limit(limit).toList();
    MemoryAppend append = new MemoryAppend(data, data.now());
    StreamInfo info = append.make(queue).info();
    List<Entry> formed = next.stream().map(entry -> reform.in(info, entry)).toList();
    append.make(formed);
    try {
      append.append(formed);
    } catch (QueueFullException full) {
      int room = (int) Math.min(limit - 1, full.remaining());
      return room > 0 ? drain(queue, room, reform) : 0;
    }
    AtomicInteger gone = new AtomicInteger();
    data.held.removeIf(e -> e.queue().equals(queue) && gone.getAndIncrement() < next.size());
    return next.size();
  }
}
