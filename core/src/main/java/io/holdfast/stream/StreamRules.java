package io.holdfast.stream;

import io.holdfast.lease.Texts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What arguments must be like; each check names the argument at fault. */
public final class StreamRules {
  /** Characters of a name or a transaction id. */
  public static final int MAX_NAME = 255;

  /** Bytes of a payload. */
  public static final int MAX_PAYLOAD = 4 << 20;

  /** Bytes of payloads in one answer. */
  public static final long MAX_ANSWER = 16L << 20;

  /** Messages or verdicts per call. */
  public static final int MAX_ITEMS = 10_000;

  /** Partitions per pop. */
  public static final int MAX_PARTITIONS = 1_000;

  /** The partition of messages that name none. */
  public static final String DEFAULT_PARTITION = "Default";

  private static final Duration LONGEST_LEASE = Duration.ofDays(1);
  private static final Duration LONGEST_WAIT = Duration.ofDays(1);

  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

  private StreamRules() {}

  /** As many of the first as one answer has room for the payloads of: one at least. */
  public static <T> List<T> fitting(List<T> all, Function<T, Message> message) {
    long bytes = 0;
    for (int i = 0; i < all.size(); i++) {
      bytes += message.apply(all.get(i)).payload().size();
      if (i > 0 && bytes > MAX_ANSWER) {
        return all.subList(0, i);
      }
    }
    return all;
  }

  /** Whether nothing comes behind a page. It may also be short because its messages are large. */
  public static <T> boolean isLast(List<T> page, int limit, Function<T, Message> message) {
    long bytes = page.stream().mapToLong(each -> message.apply(each).payload().size()).sum();
    return page.isEmpty() || page.size() < limit && bytes < MAX_ANSWER / 2;
  }

  /** A queue's name: up to 255 characters; none at all is a name too. */
  public static void checkQueue(@Nullable String queue) {
    require(queue != null, "queue is missing");
    checkText("queue", queue, 0);
  }

  /** A partition's name. */
  public static void checkPartition(@Nullable String partition) {
    require(partition != null, "partition is missing");
    checkText("partition", partition, 1);
  }

  /** A group's name. */
  public static void checkGroup(@Nullable String group) {
    require(group != null, "group is missing");
    checkText("group", group, 1);
  }

  /** The names of a cursor. */
  public static void checkCursor(CursorKey cursor) {
    checkQueue(cursor.queue());
    checkPartition(cursor.partition());
    checkGroup(cursor.group());
  }

  /** A transaction id. */
  public static void checkTransactionId(@Nullable String id) {
    require(id != null, "transactionId is missing");
    checkText("transactionId", id, 1);
  }

  /** Any text that is stored. */
  public static void checkStorable(String what, @Nullable String text) {
    require(
        text == null || Texts.isStorable(text), what + " has U+0000 or half of a surrogate pair");
  }

  private static void checkText(String what, @Nullable String text, int least) {
    if (text == null) {
      return;
    }
    int length = text.codePointCount(0, text.length());
    require(
        length >= least && length <= MAX_NAME,
        what + " must have " + least + " to " + MAX_NAME + " characters, not " + length);
    checkStorable(what, text);
  }

  /** Every message of a push. */
  public static void checkPush(List<NewMessage> messages) {
    require(
        messages.size() <= MAX_ITEMS,
        "a push takes at most " + MAX_ITEMS + " messages, not " + messages.size());
    for (NewMessage message : messages) {
      require(message != null, "a message is missing");
      checkQueue(message.queue());
      checkText("partition", message.partition(), 1);
      String id = message.transactionId();
      checkText("transactionId", id, 0);
      require(message.payload() != null, "payload is missing");
      if (message.payload().size() > MAX_PAYLOAD) {
        throw new StreamException(
            StreamError.PAYLOAD_TOO_LARGE,
            "payload has " + message.payload().size() + " bytes, the limit is " + MAX_PAYLOAD,
            null);
      }
    }
  }

  /** A pop. */
  public static void checkPop(PopRequest request) {
    PopSource from = request.from();
    if (from.queue() == null) {
      require(
          from.namespace() != null || from.task() != null, "a queue, namespace or task is missing");
      require(from.partition() == null, "a partition needs a queue");
      checkText("namespace", from.namespace(), 0);
      checkText("task", from.task(), 0);
    } else {
      checkQueue(from.queue());
      checkText("partition", from.partition(), 1);
    }
    checkGroup(request.group());
    checkRange("batch", request.size().batch(), 1, MAX_ITEMS);
    checkRange("partitions", request.size().partitions(), 1, MAX_PARTITIONS);
    require(
        !request.timeout().isNegative() && request.timeout().compareTo(LONGEST_WAIT) <= 0,
        "timeout must be from 0 to " + LONGEST_WAIT);
    Duration lease = request.leaseFor();
    if (lease != null) {
      checkLease("leaseFor", lease);
    }
    if (request.start().mode() == Start.Mode.TIMESTAMP) {
      checkInstant("start", request.start().at());
    }
  }

  /** How long a lease shall last. */
  public static void checkLease(String what, Duration lease) {
    require(
        lease.compareTo(Duration.ofSeconds(1)) >= 0 && lease.compareTo(LONGEST_LEASE) <= 0,
        what + " must be from 1 s to " + LONGEST_LEASE.toHours() + " h, not " + lease);
  }

  /** Verdicts; those without a lease only where the wire has them. */
  public static void checkAcks(List<Ack> acks, boolean isLeaseNeeded) {
    require(
        acks.size() <= MAX_ITEMS,
        "an ack takes at most " + MAX_ITEMS + " verdicts, not " + acks.size());
    for (Ack ack : acks) {
      checkGroup(ack.group());
      checkId("partitionId", ack.partitionId());
      require(
          ack.verdict() != null && ack.message() != null, "a verdict or its message is missing");
      require(ack.leaseId() != null || !isLeaseNeeded, "leaseId is missing");
      String id = ack.message().transactionId();
      if (id != null) {
        checkTransactionId(id);
      }
    }
  }

  /** A configuration. */
  public static void checkConfig(StreamConfig config) {
    checkQueue(config.queue());
    checkText("namespace", config.namespace(), 0);
    checkText("task", config.task(), 0);
    for (Map.Entry<StreamOption, @Nullable Object> option : config.options().entrySet()) {
      option.getKey().check(option.getValue());
    }
  }

  /** A note about a message. */
  public static void checkNote(Trace.Note note) {
    if (note.group() != null) {
      checkGroup(note.group());
    }
    checkText("event", note.event(), 1);
    note.names().forEach(name -> checkText("trace name", name, 1));
    require(note.data() != null, "data is missing");
    require(note.data().size() <= MAX_PAYLOAD, "data has more than " + MAX_PAYLOAD + " bytes");
  }

  /** A number in its range. */
  public static void checkRange(String what, long value, long least, long most) {
    require(
        value >= least && value <= most,
        what + " must be from " + least + " to " + most + ", not " + value);
  }

  /** An instant that a database can store, with room to add to it. */
  public static void checkInstant(String what, @Nullable Instant at) {
    require(
        at != null && !at.isBefore(EARLIEST) && at.isBefore(LATEST),
        what + " must be an instant from " + EARLIEST + " to " + LATEST);
  }

  /** An id that has to be there. */
  public static void checkId(String what, @Nullable UUID id) {
    require(id != null, what + " is missing");
  }

  /** Fails with this message unless it holds. */
  public static void require(boolean holds, String message) {
    if (!holds) {
      throw StreamException.invalid(message);
    }
  }
}
