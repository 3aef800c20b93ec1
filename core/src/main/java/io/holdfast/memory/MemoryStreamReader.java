package io.holdfast.memory;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.MessageStatus;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamReader;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.TimeRange;
import io.holdfast.stream.Trace;
import io.holdfast.stream.TraceName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looking at the messages of {@link MemoryStreamData}. */
final class MemoryStreamReader implements StreamReader {
  private final MemoryStreamData data;

  MemoryStreamReader(MemoryStreamData data) {
    this.data = data;
  }

  @Override
  public List<StoredMessage> messages(MessageQuery query, StoreCall call) {
    synchronized (data) {
      MemoryStream queue = data.get(query.queue());
      String partition = query.partition();
      Collection<MemoryPartitionLog> logs =
          partition == null ? queue.byNumber.values() : List.of(queue.partition(partition));
      Statuses statuses = new Statuses(queue, data.now());
      Stream<StoredMessage> asked =
          logs.stream()
              .flatMap(log -> log.messages.values().stream().map(m -> statuses.stored(log, m)))
              .filter(stored -> isAsked(stored, query));
      return StreamRules.fitting(
          new MemoryPage(query.created(), query.after(), query.limit())
              .of(asked, MemoryStreamReader::key),
          StoredMessage::message);
    }
  }

  private static boolean isAsked(StoredMessage stored, MessageQuery query) {
    return query.status() == null
        || (query.group() != null && stored.status().get(query.group()) == query.status());
  }

  private static PageKey key(StoredMessage stored) {
    return new PageKey(stored.message().createdAt(), stored.message().id());
  }

  @Override
  public Optional<StoredMessage> message(UUID partitionId, String transactionId, StoreCall call) {
    synchronized (data) {
      MemoryPartitionLog log = data.partition(partitionId);
      MemoryMessage message = log == null ? null : log.newest(transactionId);
      return log == null || message == null
          ? Optional.empty()
          : Optional.of(new Statuses(log.queue, data.now()).stored(log, message));
    }
  }

  @Override
  public List<StoredMessage> find(String queue, String transactionId, StoreCall call) {
    synchronized (data) {
      return data.selected(queue).stream()
          .flatMap(found -> stored(found, log -> log.named(transactionId)))
          .sorted(Comparator.comparing(MemoryStreamReader::key, MemoryPage.OLDEST_FIRST))
          .toList();
    }
  }

  @Override
  public List<StoredMessage> byTrace(UUID traceId, int limit, StoreCall call) {
    synchronized (data) {
      return StreamRules.fitting(
          data.byName.values().stream()
              .flatMap(queue -> stored(queue, log -> traced(log, traceId)))
              .sorted(Comparator.comparing(MemoryStreamReader::key, MemoryPage.OLDEST_FIRST))
              .limit(limit)
              .toList(),
          StoredMessage::message);
    }
  }

  private static Stream<MemoryMessage> traced(MemoryPartitionLog log, UUID traceId) {
    return log.messages.values().stream().filter(m -> traceId.equals(m.entry().traceId()));
  }

  private Stream<StoredMessage> stored(
      MemoryStream queue, Function<MemoryPartitionLog, Stream<MemoryMessage>> picked) {
    Statuses statuses = new Statuses(queue, data.now());
    return queue.byNumber.values().stream()
        .flatMap(log -> picked.apply(log).map(message -> statuses.stored(log, message)));
  }

  @Override
  public boolean delete(UUID partitionId, String transactionId, StoreCall call) {
    synchronized (data) {
      MemoryPartitionLog log = data.partition(partitionId);
      MemoryMessage message = log == null ? null : log.newest(transactionId);
      if (log == null || message == null) {
        return false;
      }
      log.queue
          .cursors()
          .filter(cursor -> cursor.log == log)
          .forEach(cursor -> cursor.forget(message.offset()));
      log.remove(message);
      return true;
    }
  }

  @Override
  public Optional<Trace> record(
      UUID partitionId, String transactionId, Trace.Note note, StoreCall call) {
    synchronized (data) {
      MemoryPartitionLog log = data.partition(partitionId);
      if (log == null || log.newest(transactionId) == null) {
        return Optional.empty();
      }
      Trace trace = new Trace(log.queue.newId(), partitionId, transactionId, note, data.now());
      log.queue.traces.add(trace);
      return Optional.of(trace);
    }
  }

  @Override
  public List<Trace> traces(UUID partitionId, String transactionId, StoreCall call) {
    synchronized (data) {
      MemoryStream queue = data.queueOfPartition(partitionId);
      return queue == null
          ? List.of()
          : queue.traces.stream()
              .filter(trace -> trace.partitionId().equals(partitionId))
              .filter(trace -> trace.transactionId().equals(transactionId))
              .sorted(Comparator.comparing(MemoryStreamReader::key, MemoryPage.OLDEST_FIRST))
              .toList();
    }
  }

  private static PageKey key(Trace trace) {
    return new PageKey(trace.at(), trace.id());
  }

  @Override
  public List<Trace> tracesNamed(String name, int limit, StoreCall call) {
    synchronized (data) {
      return new MemoryPage(TimeRange.ALL, null, limit)
          .of(
              data.byName.values().stream()
                  .flatMap(queue -> queue.traces.stream())
                  .filter(trace -> trace.note().names().contains(name)),
              MemoryStreamReader::key);
    }
  }

  @Override
  public List<TraceName> traceNames(int limit, StoreCall call) {
    synchronized (data) {
      Map<String, List<Trace>> byName = new TreeMap<>(MemoryLockAdmin.BYTES);
      data.byName.values().stream()
          .flatMap(queue -> queue.traces.stream())
          .forEach(
              trace ->
                  trace.note().names().stream()
                      .distinct()
                      .forEach(n -> byName.computeIfAbsent(n, k -> new ArrayList<>()).add(trace)));
      return byName.entrySet().stream()
          .map(entry -> traceName(entry.getKey(), entry.getValue()))
          .sorted(Comparator.comparing(TraceName::lastAt).reversed())
          .limit(limit)
          .toList();
    }
  }

  private static TraceName traceName(String name, List<Trace> traces) {
    long messages =
        traces.stream().map(t -> t.partitionId() + t.transactionId()).distinct().count();
    Instant last = traces.stream().map(Trace::at).max(Comparator.naturalOrder()).orElseThrow();
    return new TraceName(name, traces.size(), messages, last);
  }

  /** What the messages of a queue are to its groups. */
  private static final class Statuses {
    private final MemoryStream queue;
    private final Instant now;
    private final Set<MemoryStream.Dead.Key> dead;

    Statuses(MemoryStream queue, Instant now) {
      this.queue = queue;
      this.now = now;
      this.dead =
          queue.dead.values().stream().map(MemoryStream.Dead::key).collect(Collectors.toSet());
    }

    StoredMessage stored(MemoryPartitionLog log, MemoryMessage message) {
      Map<String, MessageStatus> statuses = new TreeMap<>(MemoryLockAdmin.BYTES);
      queue.groups.values().forEach(group -> statuses.put(group.name, of(group, log, message)));
      return new StoredMessage(message.in(log), message.entry().isEncrypted(), statuses);
    }

    private MessageStatus of(MemoryGroup group, MemoryPartitionLog log, MemoryMessage message) {
      long offset = message.offset();
      if (dead.contains(new MemoryStream.Dead.Key(group.number, log.number, offset))) {
        return MessageStatus.DEAD_LETTER;
      }
      @Nullable MemoryCursor cursor = group.cursors.get(log.number);
      if (cursor == null) {
        return MessageStatus.PENDING;
      }
      if (cursor.isPassed(offset) || !message.isFor(group)) {
        return MessageStatus.COMPLETED;
      }
      return cursor.isLeased(now) && offset <= cursor.batchEnd
          ? MessageStatus.PROCESSING
          : MessageStatus.PENDING;
    }
  }
}
