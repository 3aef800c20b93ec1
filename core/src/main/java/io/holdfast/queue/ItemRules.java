package io.holdfast.queue;

import io.holdfast.lease.Texts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What requests about items may contain, in the order it is checked; the first breach is the one
 * reported.
 */
public final class ItemRules {
  /** Bytes of payloads in one list of items. */
  public static final long MAX_LISTED = 64L << 20;

  static final int MAX_ITEMS = 1000;
  private static final int MAX_LIST = 65536;
  private static final int DEFAULT_LIST = 1000;
  private static final int MAX_PAYLOAD = 5_000_000;

  /** In bytes; it is unique, and a row of a PostgreSQL index has room for little more. */
  private static final int MAX_SOURCE_ID = 2000;

  private static final Duration MIN_TIMEOUT = Duration.ofMillis(10);
  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(15);

  /** What every store and every wire has a form for, with room for any timeout after it. */
  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999999Z");

  private ItemRules() {}

  static void checkProduce(List<NewItem> items, Duration timeout) {
    require(
        timeout.compareTo(MIN_TIMEOUT) > 0 && timeout.compareTo(MAX_TIMEOUT) < 0,
        "request timeout is invalid; it must be more than 10 ms and less than 15 m");
    checkProduce(items);
  }

  /** Items to produce. */
  public static void checkProduce(List<NewItem> items) {
    require(!items.isEmpty(), "items cannot be empty; at least one is required");
    require(items.size() <= MAX_ITEMS, "items is invalid; there may be at most " + MAX_ITEMS);
    for (NewItem item : items) {
      checkContent(item.content());
      checkInstant("enqueue_at", item.enqueueAt());
    }
  }

  /** How long the queue may be looked up; a timeout that is refused afterwards ends nothing. */
  static Duration lookUpTimeout(Duration timeout) {
    boolean isGood = timeout.compareTo(MIN_TIMEOUT) > 0 && timeout.compareTo(MAX_TIMEOUT) <= 0;
    return isGood ? timeout : MAX_TIMEOUT;
  }

  static void checkLease(LeaseRequest request) {
    require(!request.clientId().isBlank(), "invalid client id; it cannot be empty");
    require(
        request.batchSize() >= 1 && request.batchSize() <= MAX_ITEMS,
        "invalid batch size; it must be from 1 to " + MAX_ITEMS);
    require(
        request.timeout().compareTo(MIN_TIMEOUT) > 0
            && request.timeout().compareTo(MAX_TIMEOUT) <= 0,
        "request timeout is invalid; it must be more than 10 ms and at most 15 m");
  }

  /** A wish for more time. */
  public static void checkExtend(List<String> ids, @Nullable Duration by, QueueSettings settings) {
    checkCount(ids);
    require(
        by == null
            || by.compareTo(Duration.ZERO) > 0 && by.compareTo(settings.expireTimeout()) <= 0,
        "lease timeout is invalid; it must be positive and at most the expire timeout");
    checkEach("ids", ids);
  }

  static void checkComplete(List<String> ids, Duration timeout) {
    checkCount(ids);
    require(
        timeout.compareTo(Duration.ZERO) > 0 && timeout.compareTo(MAX_TIMEOUT) <= 0,
        "request timeout is invalid; it must be positive and at most 15 m");
    checkEach("ids", ids);
  }

  /** Items to give back. */
  public static void checkRetry(List<Retry> items) {
    require(!items.isEmpty(), "items cannot be empty; at least one is required");
    require(items.size() <= MAX_ITEMS, "items is invalid; there may be at most " + MAX_ITEMS);
    items.forEach(item -> checkInstant("retry_at", item.retryAt()));
    checkEach("items", items.stream().map(Retry::id).toList());
  }

  /** Leased items: 1 to 1000 ids, none of them twice. */
  public static void checkIds(List<String> ids) {
    checkCount(ids);
    checkEach("ids", ids);
  }

  private static void checkCount(List<?> ids) {
    require(!ids.isEmpty(), "ids is invalid; at least one is required");
    require(ids.size() <= MAX_ITEMS, "ids is invalid; there may be at most " + MAX_ITEMS);
  }

  /** The ids come last, in their order. */
  private static void checkEach(String what, List<String> ids) {
    Set<String> seen = new HashSet<>();
    for (String id : ids) {
      checkId(id);
      require(seen.add(id), what + " is invalid; '" + id + "' is listed twice");
    }
  }

  static void checkDelete(List<String> ids) {
    require(!ids.isEmpty(), "ids is invalid; at least one is required");
    ids.forEach(ItemRules::checkId);
  }

  private static void checkId(String id) {
    require(ItemIds.isWellFormed(id), "invalid storage id; '" + shortened(id) + "' is not one");
  }

  /** Any text at all may come in place of an id. */
  private static String shortened(String text) {
    return text.length() <= 64 ? text : text.substring(0, 64) + "...";
  }

  static void checkImport(List<StoredItem> items) {
    require(!items.isEmpty(), "items cannot be empty; at least one is required");
    for (StoredItem item : items) {
      checkContent(item.content());
      checkSource(item.origin().sourceId());
      checkText("source_queue", item.origin().sourceQueue());
      checkText("dead_reason", item.origin().deadReason());
      checkInstant("enqueue_at", item.times().enqueueAt());
      checkInstant("lease_deadline", item.times().leaseDeadline());
      checkInstant("expire_deadline", item.times().expireDeadline());
      require(
          item.attempts() >= 0 && item.maxAttempts() >= 0,
          "items is invalid; attempts cannot be negative");
      require(
          !item.isLeased() || item.times().enqueueAt() == null,
          "items is invalid; an item cannot be leased and scheduled at once");
    }
  }

  private static void checkSource(@Nullable String id) {
    checkText("source_id", id);
    require(
        id == null || id.getBytes(StandardCharsets.UTF_8).length <= MAX_SOURCE_ID,
        "items is invalid; source_id is too long");
  }

  static void checkClear(Clear what) {
    require(
        what.queue() || what.scheduled(),
        "invalid clear request; one of 'queue' and 'scheduled' is required");
  }

  static void checkPivot(String pivot) {
    require(
        pivot.isBlank() || ItemIds.isWellFormed(pivot),
        "pivot is invalid; '" + shortened(pivot) + "' is not an id");
  }

  /** The limit of a list, 1000 where none is given. */
  static int limit(int given) {
    require(given >= 0 && given <= MAX_LIST, "limit is invalid; it must be from 0 to " + MAX_LIST);
    return given == 0 ? DEFAULT_LIST : given;
  }

  /** Refuses a list of so many bytes: cut short, it would look like the last one. */
  public static void checkListed(long bytes) {
    require(
        bytes <= MAX_LISTED,
        "limit is invalid; the items have more than %d bytes, ask for fewer".formatted(MAX_LISTED));
  }

  static void checkQueuePage(QueuePage page) {
    require(
        page.pivot().indexOf('~') < 0 && Texts.isStorable(page.pivot()),
        "pivot is invalid; it cannot be the name of a queue");
    limit(page.limit());
    require(
        page.namespace() == null || Texts.isStorable(page.namespace()),
        "namespace is invalid; it cannot contain U+0000 or half of a surrogate pair");
  }

  private static void checkContent(Content content) {
    checkText("reference", content.reference());
    checkText("encoding", content.encoding());
    checkText("kind", content.kind());
    require(
        content.payload().length <= MAX_PAYLOAD,
        "items is invalid; a payload may have at most " + MAX_PAYLOAD + " bytes");
  }

  private static void checkText(String what, @Nullable String text) {
    require(
        text == null || Texts.isStorable(text),
        "items is invalid; " + what + " contains U+0000 or half of a surrogate pair");
  }

  private static void checkInstant(String what, @Nullable Instant at) {
    require(
        at == null || !at.isBefore(EARLIEST) && !at.isAfter(LATEST),
        "items is invalid; " + what + " is out of range");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw QueueException.invalid(otherwise);
    }
  }
}
