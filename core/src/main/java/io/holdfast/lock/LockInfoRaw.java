package io.holdfast.lock;

/** A live lock with its raw key and id; whoever has the id can release the lock. */
public record LockInfoRaw(String key, String lockId, LockInfo info) {
  /** A row as it is stored, whether it is live or not. */
  public static LockInfoRaw of(LockStore.Row row) {
    LockInfo info =
        new LockInfo(
            DisplayHash.of(row.key()),
            DisplayHash.of(row.id()),
            row.fence(),
            java.time.Instant.ofEpochMilli(row.expiresAtMs()),
            java.time.Instant.ofEpochMilli(row.acquiredAtMs()));
    return new LockInfoRaw(row.key(), row.id(), info);
  }

  /** Hashed: raw values are for code, not for logs. */
  @Override
  public String toString() {
    return info.toString();
  }
}
