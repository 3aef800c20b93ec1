package io.holdfast.testkit.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What consumer groups were given of the partitions of a stream and what they settled, and the
 * proof that it is what a stream promises: each partition in order and without a gap, held by one
 * consumer of a group at any instant of the database's clock, and nothing again that was settled.
 *
 * <p>Claims of one group and partition are put in the order of their fences, which is the order in
 * which the database granted them; so histories of several processes, some of which were killed,
 * can be told together, whatever the order they are told in. A verdict whose answer was lost may
 * count or not. Recording is safe for use by many threads.
 */
public final class StreamHistory {
  private final Map<String, NavigableSet<Long>> pushed = new TreeMap<>();
  private final Map<Cursor, NavigableMap<Long, Claim>> claims = new TreeMap<>();

  private record Cursor(String group, String partition) implements Comparable<Cursor> {
    @Override
    public int compareTo(Cursor other) {
      return Comparator.comparing(Cursor::group)
          .thenComparing(Cursor::partition)
          .compare(this, other);
    }
  }

  /** Which claim: there is one per group, partition and fence. */
  public record ClaimKey(String group, String partition, long fence) {}

  /** A claim and what became of it. */
  private static final class Claim {
    final List<Long> offsets;
    final Instant claimedAt;
    final Set<Long> settled = new HashSet<>();
    final Set<Long> doubtful = new HashSet<>();
    Instant expiresAt;
    boolean isReleased;

    Claim(List<Long> offsets, Instant claimedAt, Instant expiresAt) {
      this.offsets = offsets;
      this.claimedAt = claimedAt;
      this.expiresAt = expiresAt;
    }
  }

  /** A message was stored. */
  public synchronized void pushed(String partition, long offset) {
    boolean isNew = pushed.computeIfAbsent(partition, p -> new TreeSet<>()).add(offset);
    require(isNew, "offset " + offset + " of " + partition + " was given twice");
  }

  /** A partition was claimed, and these messages delivered. */
  public synchronized void claimed(
      ClaimKey key, List<Long> offsets, Instant claimedAt, Instant expiresAt) {
    Claim before =
        claims
            .computeIfAbsent(new Cursor(key.group(), key.partition()), c -> new TreeMap<>())
            .put(key.fence(), new Claim(List.copyOf(offsets), claimedAt, expiresAt));
    require(before == null, "two claims have one fence: " + key);
  }

  /** The lease was prolonged. */
  public synchronized void extended(ClaimKey key, Instant expiresAt) {
    Claim claim = claim(key);
    claim.expiresAt = expiresAt.isAfter(claim.expiresAt) ? expiresAt : claim.expiresAt;
  }

  /** A message was completed or dead-lettered, and that was confirmed. */
  public synchronized void settled(ClaimKey key, long offset) {
    claim(key).settled.add(offset);
  }

  /** A message was to be settled, and nobody knows whether it was. */
  public synchronized void doubtful(ClaimKey key, long offset) {
    claim(key).doubtful.add(offset);
    claim(key).isReleased = true;
  }

  /** The lease was given back or settled before its end, or taken away. */
  public synchronized void released(ClaimKey key) {
    claim(key).isReleased = true;
  }

  private Claim claim(ClaimKey key) {
    Map<Long, Claim> of = claims.getOrDefault(new Cursor(key.group(), key.partition()), noClaims());
    Claim claim = of.get(key.fence());
    if (claim == null) {
      throw new AssertionError("nobody was given " + key);
    }
    return claim;
  }

  private static NavigableMap<Long, Claim> noClaims() {
    return new TreeMap<>();
  }

  /** Passes if everything that happened is what a stream promises. */
  public synchronized void check() {
    claims.forEach(this::check);
  }

  private void check(Cursor cursor, NavigableMap<Long, Claim> byFence) {
    NavigableSet<Long> known = pushed.getOrDefault(cursor.partition(), new TreeSet<>());
    Set<Long> settled = new HashSet<>();
    Set<Long> doubtful = new HashSet<>();
    Claim before = null;
    for (Map.Entry<Long, Claim> entry : byFence.entrySet()) {
      Claim claim = entry.getValue();
      String what = cursor + " under fence " + entry.getKey() + " got " + claim.offsets;
      checkOrder(what, claim);
      checkGaps(what, claim, known, settled, doubtful);
      if (before != null && !before.isReleased) {
        require(
            !claim.claimedAt.isBefore(before.expiresAt),
            what + " at " + claim.claimedAt + " while another held it until " + before.expiresAt);
      }
      settled.addAll(claim.settled);
      doubtful.addAll(claim.doubtful);
      before = claim;
    }
  }

  private static void checkOrder(String what, Claim claim) {
    require(!claim.offsets.isEmpty(), what + ": a claim of nothing");
    List<Long> sorted = new ArrayList<>(new TreeSet<>(claim.offsets));
    require(sorted.equals(claim.offsets), what + ": not in order");
    require(
        claim.offsets.containsAll(claim.settled), what + " and settled others: " + claim.settled);
  }

  /** Everything up to the last delivered message is in the claim, or was settled before. */
  private static void checkGaps(
      String what, Claim claim, NavigableSet<Long> known, Set<Long> settled, Set<Long> doubtful) {
    long last = claim.offsets.get(claim.offsets.size() - 1);
    for (long offset : claim.offsets) {
      require(known.contains(offset), what + ": nobody pushed " + offset);
      require(!settled.contains(offset), what + ": " + offset + " was settled before");
    }
    for (long offset : known.headSet(last)) {
      require(
          claim.offsets.contains(offset) || settled.contains(offset) || doubtful.contains(offset),
          what + ": " + offset + " was passed over");
    }
  }

  /** Passes if the group has settled everything that was pushed. */
  public synchronized void checkComplete(String group) {
    pushed.forEach(
        (partition, offsets) -> {
          Set<Long> open = new TreeSet<>(offsets);
          claims
              .getOrDefault(new Cursor(group, partition), noClaims())
              .values()
              .forEach(
                  claim -> {
                    open.removeAll(claim.settled);
                    open.removeAll(claim.doubtful);
                  });
          require(
              open.isEmpty(),
              group + " never settled " + open.size() + " of " + partition + ": " + open);
        });
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
