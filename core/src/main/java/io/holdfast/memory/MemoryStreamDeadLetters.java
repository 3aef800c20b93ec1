package io.holdfast.memory;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.DeadLetters;
import io.holdfast.stream.Entry;
import io.holdfast.stream.Message;
import io.holdfast.stream.Payload;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.Redriven;
import io.holdfast.stream.StreamDeadLetters;
import io.holdfast.stream.StreamRules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Messages that groups of {@link MemoryStreamData} gave up. */
final class MemoryStreamDeadLetters implements StreamDeadLetters {
  private final MemoryStreamData data;

  MemoryStreamDeadLetters(MemoryStreamData data) {
    this.data = data;
  }

  @Override
  public List<DeadLetter> list(DeadLetterQuery query, StoreCall call) {
    synchronized (data) {
      return StreamRules.fitting(found(query), DeadLetter::message);
    }
  }

  private List<DeadLetter> found(DeadLetterQuery query) {
    return new MemoryPage(query.failed(), query.after(), query.limit())
        .of(
            data.selected(query.queue()).stream()
                .flatMap(queue -> queue.dead.values().stream())
                .map(MemoryStream.Dead::letter)
                .filter(letter -> isAsked(letter, query)),
            DeadLetter::key);
  }

  private static boolean isAsked(DeadLetter letter, DeadLetterQuery query) {
    String group = query.group();
    String partition = query.partition();
    return (group == null || group.equals(letter.group()))
        && (partition == null || partition.equals(letter.message().place().partition()));
  }

  @Override
  public long count(DeadLetterQuery query, StoreCall call) {
    synchronized (data) {
      return found(query.after(null).limit(Integer.MAX_VALUE)).size();
    }
  }

  @Override
  public List<DeadLetters.Count> countByPartition(DeadLetterQuery query, StoreCall call) {
    synchronized (data) {
      return found(query.after(null).limit(Integer.MAX_VALUE)).stream()
          .collect(
              Collectors.groupingBy(
                  letter ->
                      List.of(
                          letter.message().place().queue(), letter.message().place().partition()),
                  Collectors.counting()))
          .entrySet()
          .stream()
          .map(e -> new DeadLetters.Count(e.getKey().get(0), e.getKey().get(1), e.getValue()))
          .toList();
    }
  }

  @Override
  public Optional<DeadLetter> get(UUID id, StoreCall call) {
    synchronized (data) {
      return Optional.ofNullable(dead(id)).map(MemoryStream.Dead::letter);
    }
  }

  private MemoryStream.@Nullable Dead dead(UUID id) {
    MemoryStream queue = data.queueOf(id);
    return queue == null ? null : queue.dead.get(id);
  }

  @Override
  public int purge(DeadLetterQuery query, StoreCall call) {
    synchronized (data) {
      List<DeadLetter> found = found(query);
      found.forEach(letter -> remove(letter.id()));
      return found.size();
    }
  }

  private void remove(UUID id) {
    MemoryStream queue = data.queueOf(id);
    if (queue != null) {
      queue.dead.remove(id);
    }
  }

  @Override
  public Redriven redrive(UUID id, Redrive how, boolean isEncrypted, StoreCall call) {
    synchronized (data) {
      MemoryStream.Dead dead = dead(id);
      if (dead == null) {
        return new Redriven(id, Redriven.Outcome.GONE, null);
      }
      Instant now = data.now();
      MemoryAppend append = new MemoryAppend(data, now);
      Entry entry = entry(dead.letter(), how, isEncrypted);
      MemoryStream target = append.make(entry.queue());
      if (!target.hasRoom(1, now)) {
        return new Redriven(id, Redriven.Outcome.FULL, null);
      }
      MemoryPartitionLog log = target.make(entry.partition(), now);
      MemoryMessage message = append.store(log, entry, onlyGroup(dead, how, target));
      remove(id);
      return new Redriven(id, Redriven.Outcome.MOVED, message.id());
    }
  }

  private static Entry entry(DeadLetter letter, Redrive how, boolean isEncrypted) {
    Message message = letter.message();
    String queue = how.queue();
    String partition = how.partition();
    Payload edited = how.payload();
    return new Entry(
        queue == null ? message.place().queue() : queue,
        partition == null ? message.place().partition() : partition,
        edited == null ? message.payload() : edited,
        edited == null ? letter.isEncrypted() : isEncrypted,
        "redrive:" + letter.id(),
        message.traceId(),
        message.producer());
  }

  /** The group that gave it up, if it is still there and the letter comes back to its queue. */
  private @Nullable Long onlyGroup(MemoryStream.Dead dead, Redrive how, MemoryStream target) {
    long group = dead.key().group();
    boolean isBack = target == data.queueOf(dead.letter().id());
    boolean isThere = target.groups.values().stream().anyMatch(each -> each.number == group);
    return isBack && isThere && !how.toAllGroups() ? group : null;
  }
}
