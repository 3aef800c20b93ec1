package io.holdfast.lock;

import io.holdfast.lease.Hints;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who in this process waits for which key, and whom a release wakes. Of those that poll in no order
 * only the first one asks the store; the others queue behind it, so a crowd in one process costs
 * the database no more than one waiter. Safe for use by many threads.
 */
final class WaitingRoom implements Hints.Listener {
  /** How somebody waits. */
  enum Manner {
    /** Polls when at the head, and otherwise only queues. */
    POLLING,
    /** Has a ticket of its own in the store and polls whatever its place here. */
    FAIR,
    /** Tries on a schedule of its own and merely wants to hear of releases. */
    RETRYING
  }

  private final Map<String, Queues> rooms = new HashMap<>();

  /** The three queues of one key. */
  private static final class Queues {
    private final Map<Manner, Deque<Place>> queues = new HashMap<>();
    private final String hash;

    Queues(String key) {
      this.hash = DisplayHash.of(key);
    }

    Deque<Place> of(Manner manner) {
      return queues.computeIfAbsent(manner, m -> new ArrayDeque<>());
    }

    boolean isEmpty() {
      return queues.values().stream().allMatch(Deque::isEmpty);
    }
  }

  /** Takes a place at the end of its queue; {@code wake} must not block. */
  synchronized Place enter(LockKey key, Manner manner, Runnable wake) {
    Place place = new Place(key.text(), manner, wake);
    rooms.computeIfAbsent(place.key, Queues::new).of(manner).add(place);
    return place;
  }

  /** Wakes the first of each queue of {@code key}; others would only find it taken again. */
  synchronized void wake(String key) {
    wakeFirst(rooms.get(key));
  }

  /** Wakes for the key with this display hash, as hints from other processes name it. */
  @Override
  public synchronized void hinted(String keyHash) {
    rooms.forEach(
        (key, queues) -> {
          if (queues.hash.equals(keyHash)) {
            wakeFirst(queues);
          }
        });
  }

  @Override
  public synchronized void mayHaveMissedSome() {
    rooms.values().forEach(WaitingRoom::wakeFirst);
  }

  private static void wakeFirst(@Nullable Queues queues) {
    if (queues != null) {
      Consumer<Deque<Place>> first =
          queue -> {
            if (!queue.isEmpty()) {
              queue.getFirst().wake.run();
            }
          };
      queues.queues.values().forEach(first);
    }
  }

  /** One waiter of a key in this process. */
  final class Place {
    /** Whether a refused try has left a ticket with the store; read and set by the waiter only. */
    boolean hasTicket;

    private final String key;
    private final Manner manner;
    private final Runnable wake;

    Place(String key, Manner manner, Runnable wake) {
      this.key = key;
      this.manner = manner;
      this.wake = wake;
    }

    /** Whether this one may ask the store: all may, but of the polling ones only the first. */
    boolean mayTry() {
      synchronized (WaitingRoom.this) {
        Queues queues = rooms.get(key);
        return manner != Manner.POLLING || (queues != null && queues.of(manner).peek() == this);
      }
    }

    /** Leaves, passing the turn on; true when no other waiter here shares the process's ticket. */
    boolean leave() {
      synchronized (WaitingRoom.this) {
        Queues queues = rooms.get(key);
        if (queues == null) {
          return true;
        }
        queues.of(manner).remove(this);
        Place next = queues.of(manner).peek();
        if (next != null) {
          next.wake.run();
        }
        boolean alone = queues.of(Manner.POLLING).isEmpty() && queues.of(Manner.RETRYING).isEmpty();
        if (queues.isEmpty()) {
          rooms.remove(key);
        }
        return alone || manner == Manner.FAIR;
      }
    }
  }
}
