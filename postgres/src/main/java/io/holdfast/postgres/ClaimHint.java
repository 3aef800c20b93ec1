package io.holdfast.postgres;

import io.holdfast.lease.Time;
import io.holdfast.queue.ItemIds;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where in the order of ids this process begins its next claim.
 *
 * <p>Items leave a queue at its head, and what they leave in the index stays until a vacuum, which
 * the oldest open transaction of the whole server can hold up for hours. A claim that began at the
 * head would walk over all of it. So each claim begins where the last one found its first item. The
 * hint lives in memory and is only ever a hint: what lies below it is found again by a claim that
 * begins at the very beginning, once per second or so.
 *
 * <p>What can lie below it is an item whose id was made before, but whose transaction was committed
 * after a claim had passed. Therefore the hint never comes closer to the present than the time a
 * commit usually takes; and an insert of this process, which knows its own ids, lowers it. Such an
 * insert may be acknowledged while a claim is under way that began before and will end after it:
 * the claim did not see the item and must not raise the hint over it. So every claim under way
 * carries the smallest id that came up since it began, and raises the hint no further than that. A
 * reset, on the other hand, spoils the claims under way: what they know may be outdated.
 *
 * <p>A claim that begins at the beginning may be slow, for the reason above, so the pause before
 * the next one is at least twenty times what it took, up to thirty seconds. Safe for use by many
 * threads.
 */
final class ClaimHint {
  /** How long after its id was made an item may become visible without being overlooked. */
  private static final Duration LAG = Duration.ofMillis(50);

  private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(30).toNanos();
  private static final int STRETCH = 20;

  private final Time time;
  private final Set<Look> underWay = new HashSet<>();
  private String hint = "";
  private @Nullable Long unhintedDueNanos;

  ClaimHint(Time time) {
    this.time = time;
  }

  /** One claim, or one look whether there is something to claim. */
  final class Look {
    private final String from;
    private final boolean isUnhinted;
    private final long startNanos;
    private @Nullable String smallestNew;
    private boolean isSpoiled;

    private Look(String from, boolean isUnhinted) {
      this.from = from;
      this.isUnhinted = isUnhinted;
      this.startNanos = time.nanos();
    }

    /** Where it begins. */
    String from() {
      return from;
    }

    /** Whether it is one of those that begin at the beginning because it was time to. */
    boolean isUnhinted() {
      return isUnhinted;
    }

    /** The claim was committed; {@code first} is the smallest of its ids, null if it got none. */
    void claimed(@Nullable String first, Instant databaseNow) {
      String recent = ItemIds.digits(ItemIds.prefix(databaseNow.minus(LAG)));
      String next = first == null || recent.compareTo(first) < 0 ? recent : first;
      synchronized (ClaimHint.this) {
        end(1);
        if (!isSpoiled) {
          hint = smallestNew != null && smallestNew.compareTo(next) < 0 ? smallestNew : next;
        }
      }
    }

    /** Nothing was claimed, only looked at; {@code of} looks shared the time. */
    void looked(int of) {
      synchronized (ClaimHint.this) {
        end(of);
      }
    }

    /** The claim failed, or nobody knows what became of it. */
    void failed() {
      synchronized (ClaimHint.this) {
        end(1);
        reset();
      }
    }

    private void end(int of) {
      underWay.remove(this);
      if (isUnhinted) {
        long took = (time.nanos() - startNanos) / of;
        long pause = Math.min(LONGEST_PAUSE_NANOS, Math.max(PAUSE_NANOS, STRETCH * took));
        unhintedDueNanos = time.nanos() + pause;
      }
    }
  }

  /** A claim begins. */
  synchronized Look begin() {
    Long due = unhintedDueNanos;
    boolean isUnhinted = due == null || time.nanos() - due >= 0;
    if (isUnhinted) {
      // The next one counts from the end of this one; until then nobody else needs to.
      unhintedDueNanos = time.nanos() + LONGEST_PAUSE_NANOS;
    }
    Look look = new Look(isUnhinted ? "" : hint, isUnhinted);
    underWay.add(look);
    return look;
  }

  /** An item with this id, and perhaps others after it, has become ready. */
  synchronized void lower(String id) {
    if (id.compareTo(hint) < 0) {
      hint = id;
    }
    for (Look look : underWay) {
      String known = look.smallestNew;
      if (known == null || id.compareTo(known) < 0) {
        look.smallestNew = id;
      }
    }
  }

  /** Nothing is known any more. */
  synchronized void reset() {
    hint = "";
    underWay.forEach(look -> look.isSpoiled = true);
  }

  synchronized String current() {
    return hint;
  }
}
