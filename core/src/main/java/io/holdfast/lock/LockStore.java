package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Fence;
import io.holdfast.lease.Renewal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The transitions of a lock, each atomic. A store holds no policy: it neither retries contention,
 * waits, renews nor reports. Every failure is a {@link LockException}. Safe for use by many
 * threads.
 */
public interface LockStore {
  /** Makes the store ready: idempotent, safe in parallel, and changes nothing that is in place. */
  void setup(LockCall call);

  /** {@code free → held}, or a refusal that changes nothing but the waiter's own ticket. */
  Grant acquire(Request request, LockCall call);

  /** {@code held → free}, for the holder of {@code id} while it is live. */
  Freed release(LockId id, boolean durably, LockCall call);

  /** {@code held → held} until now + ttl, for the holder of {@code id} while it is live. */
  Renewal extend(LockId id, LockTtl ttl, LockCall call);

  /** Extends many without ever waiting: what something else works on is answered as busy. */
  List<Renewal> extendMany(List<Extend> extensions, LockCall call);

  /** Reads a row, live or not, and the store's time. */
  Optional<Sighting> find(LockRef ref, LockCall call);

  /** The live lock as anybody may see it; a store that has to ask for raw values need not. */
  default Optional<LockInfo> look(LockRef ref, LockCall call) {
    return find(ref, call).filter(Sighting::isLive).map(s -> LockInfoRaw.of(s.row()).info());
  }

  /** Deletes the row of {@code key} if it may be purged and nobody works on it. */
  boolean removeStale(LockKey key, LockCall call);

  /** Gives up a waiter's ticket; answers whether others still wait for the key. */
  boolean leave(LockKey key, String waiterId, LockCall call);

  /** What an acquire asks for; a {@code waiter} is given by callers that will try again. */
  record Request(LockKey key, LockId id, boolean callersId, LockTtl ttl, @Nullable Waiter waiter) {

    /**
     * The id is in use for another key: the caller's mistake, or a broken promise of randomness.
     */
    public LockException idInUse(@Nullable Throwable cause) {
      return new LockException(
          callersId ? ErrorCode.INVALID_ARGUMENT : ErrorCode.INTERNAL,
          "lockId is in use for another key",
          cause);
    }
  }

  /** A place in the queue for a key, kept for {@code ttlMs} after each try. */
  record Waiter(String id, boolean fair, long ttlMs) {}

  /** One lease of a batch. */
  record Extend(LockId id, LockTtl ttl) {}

  /** The answer to an acquire. */
  sealed interface Grant {
    /**
     * Held now; the values are the stored ones.
     *
     * @param leftMs from when the store decided until the expiry
     * @param askedNanos a moment before the store decided, on the monotonic clock: when the request
     *     was sent, which on first use is long after it was made
     */
    record Granted(Fence fence, long expiresAtMs, long acquiredAtMs, long leftMs, long askedNanos)
        implements Grant {}

    /** Taken for about this long. */
    record Refused(long retryAfterMs) implements Grant {}
  }

  /** The answer to a release; {@code key} is there whenever the id was known. */
  record Freed(Status status, @Nullable LockKey key, boolean wake) {
    /** What became of it. */
    public enum Status {
      RELEASED,
      NOT_FOUND,
      EXPIRED
    }
  }

  /** A stored row and the time at which it was read. */
  record Sighting(Row row, long nowMs) {
    /** Whether it was live then. */
    public boolean isLive() {
      return Liveness.isLive(row.expiresAtMs(), nowMs);
    }
  }

  /** A stored row, as it is: another client of the tables may have its own idea of keys and ids. */
  record Row(String key, String id, Fence fence, long expiresAtMs, long acquiredAtMs) {}
}
