package io.holdfast.queue;

import io.holdfast.lease.Texts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a queue may be called and how it may be set, in the order the rules are checked; the first
 * breach is the one reported. Those that need other queues ask a {@link Lookup}, so that a store
 * can check them in the transaction that makes the change.
 */
public final class QueueRules {
  /** Where queues are that name no other place. */
  public static final String DEFAULT_NAMESPACE = "_system";

  /** The largest number of partitions. */
  public static final int MAX_PARTITIONS = 1024;

  private static final int MAX_NAME_BYTES = 512;
  private static final int MAX_NAMESPACE = 256;
  private static final int MAX_REFERENCE_BYTES = 2000;
  private static final int MAX_ATTEMPTS = 65536;
  private static final Duration SHORTEST = Duration.ofNanos(1000);
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private QueueRules() {}

  /** The other queues. */
  public interface Lookup {
    /** The dead queue of {@code name}, empty text for none; empty when there is no such queue. */
    Optional<String> deadQueueOf(String name);

    /** Whether some queue has {@code name} as its dead queue. */
    boolean isDeadQueue(String name);

    /** Whether another name has the same hash. */
    boolean isHashTaken(String name);
  }

  /** The form of a queue's name. */
  public static void checkName(String name) {
    checkName("queue name", name);
  }

  private static void checkName(String what, String name) {
    String fault = null;
    if (name.isBlank()) {
      fault = "cannot be empty";
    } else if (name.length() > MAX_NAME_BYTES
        || name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
      fault = "cannot be longer than " + MAX_NAME_BYTES + " bytes";
    } else if (Texts.hasWhiteSpace(name)) {
      fault = "cannot contain white space";
    } else if (name.indexOf('~') >= 0) {
      fault = "cannot contain '~'";
    } else if (!Texts.isStorable(name)) {
      fault = "cannot contain U+0000 or half of a surrogate pair";
    }
    require(fault == null, what + " is invalid; it " + fault);
  }

  /** All rules for a new queue; answers what is stored. */
  public static QueueSettings checkNew(NewQueue queue, Lookup others) {
    checkName(queue.name());
    checkNamespace(queue.namespace());
    require(
        others.deadQueueOf(queue.name()).isEmpty(),
        "queue is invalid; '" + queue.name() + "' already exists");
    checkDeadQueue(queue.name(), queue.deadQueue(), others);
    checkReference(queue.reference());
    checkMaxAttempts(queue.maxAttempts());
    require(
        queue.partitions() >= 1 && queue.partitions() <= MAX_PARTITIONS,
        "partitions is invalid; it must be from 1 to " + MAX_PARTITIONS);
    Duration expire = queue.expireTimeout();
    Duration lease = queue.leaseTimeout();
    require(expire != null, "expire timeout is invalid; it is required");
    require(lease != null, "lease timeout is invalid; it is required");
    checkTimeouts(lease, expire);
    require(
        !others.isHashTaken(queue.name()),
        "queue name is invalid; another queue has the same table hash");
    return new QueueSettings(
        lease,
        expire,
        queue.deadQueue(),
        queue.maxAttempts(),
        queue.reference(),
        queue.partitions());
  }

  /** The settings of {@code queue} after the change, if the rules allow it. */
  public static QueueSettings merge(QueueInfo queue, QueueUpdate update, Lookup others) {
    QueueSettings old = queue.settings();
    String dead = or(update.deadQueue(), old.deadQueue());
    String reference = or(update.reference(), old.reference());
    int attempts = or(update.maxAttempts(), old.maxAttempts());
    int partitions = or(update.partitions(), 0);
    if (!dead.equals(old.deadQueue())) {
      checkDeadQueue(queue.name(), dead, others);
      require(
          dead.isEmpty() || !others.isDeadQueue(queue.name()),
          "dead queue is invalid; '" + queue.name() + "' is a dead queue itself");
    }
    checkReference(reference);
    checkMaxAttempts(attempts);
    require(
        partitions >= 0 && partitions <= MAX_PARTITIONS,
        "partitions is invalid; it must be from 1 to " + MAX_PARTITIONS);
    Duration lease = or(update.leaseTimeout(), old.leaseTimeout());
    Duration expire = or(update.expireTimeout(), old.expireTimeout());
    checkTimeouts(lease, expire);
    return new QueueSettings(
        lease,
        expire,
        dead,
        attempts,
        reference,
        partitions == 0 ? old.requestedPartitions() : partitions);
  }

  /** The namespace as it is stored. */
  public static String namespace(String given) {
    return given.isEmpty() ? DEFAULT_NAMESPACE : given;
  }

  private static <T> T or(@Nullable T given, T old) {
    return given == null ? old : given;
  }

  private static void checkNamespace(String namespace) {
    String fault = null;
    if (namespace.codePointCount(0, namespace.length()) > MAX_NAMESPACE) {
      fault = "cannot be longer than " + MAX_NAMESPACE + " characters";
    } else if (Texts.hasWhiteSpace(namespace)) {
      fault = "cannot contain white space";
    } else if (namespace.indexOf('~') >= 0 || namespace.indexOf(':') >= 0) {
      fault = "cannot contain '~' or ':'";
    } else if (!Texts.isStorable(namespace)) {
      fault = "cannot contain U+0000 or half of a surrogate pair";
    }
    require(fault == null, "namespace is invalid; it " + fault);
  }

  private static void checkDeadQueue(String queue, String dead, Lookup others) {
    if (dead.isEmpty()) {
      return;
    }
    checkName("dead queue", dead);
    require(!dead.equals(queue), "dead queue is invalid; it cannot be the queue itself");
    Optional<String> next = others.deadQueueOf(dead);
    require(next.isPresent(), "dead queue is invalid; '" + dead + "' does not exist");
    require(next.get().isEmpty(), "dead queue is invalid; '" + dead + "' has a dead queue itself");
  }

  private static void checkReference(String reference) {
    require(
        reference.length() <= MAX_REFERENCE_BYTES
            && reference.getBytes(StandardCharsets.UTF_8).length <= MAX_REFERENCE_BYTES,
        "reference field is invalid; it cannot be longer than " + MAX_REFERENCE_BYTES + " bytes");
    require(
        Texts.isStorable(reference),
        "reference field is invalid; it cannot contain U+0000 or half of a surrogate pair");
  }

  private static void checkMaxAttempts(int attempts) {
    require(
        attempts >= 0 && attempts <= MAX_ATTEMPTS,
        "max attempts is invalid; it must be from 0 to " + MAX_ATTEMPTS);
  }

  private static void checkTimeouts(Duration lease, Duration expire) {
    checkTimeout("expire timeout", expire);
    checkTimeout("lease timeout", lease);
    require(
        lease.compareTo(expire) <= 0,
        "lease timeout is too long; it cannot be longer than the expire timeout");
  }

  private static void checkTimeout(String what, Duration timeout) {
    require(
        timeout.compareTo(SHORTEST) >= 0 && timeout.compareTo(LONGEST) <= 0,
        what + " is invalid; it must be from 1 µs to 292 years");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw QueueException.invalid(otherwise);
    }
  }
}
