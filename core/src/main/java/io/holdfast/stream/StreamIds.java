package io.holdfast.stream;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Ids that carry what is needed to find their object without a search.
 *
 * <p>A partition id is a UUID of version 8: 32 bits of the queue's number, then the 64 bits of the
 * partition's number around the version and the variant, then the queue's 26-bit tag. An id of a
 * lease or of a dead letter has the queue's number and 90 random bits. A message id is of version
 * 7: milliseconds, then the rest of the microseconds, then its place in the call, then chance; so
 * the ids of a partition grow with its offsets.
 */
public final class StreamIds {
  private static final long VERSION_7 = 0x7000L;
  private static final long VERSION_8 = 0x8000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final int TAG_BITS = 26;

  /** Tags are smaller than this. */
  public static final int TAGS = 1 << TAG_BITS;

  private StreamIds() {}

  /** What a partition id says. */
  public record PartitionKey(StreamInfo.Key queue, long partition) {}

  /** The id of a partition. */
  public static UUID partition(StreamInfo.Key queue, long partition) {
    long high =
        ((long) queue.id() << 32)
            | (partition >>> 48 << 16)
            | VERSION_8
            | (partition >>> 36 & 0xfff);
    long low = VARIANT | ((partition & 0xf_ffff_ffffL) << TAG_BITS) | queue.tag();
    return new UUID(high, low);
  }

  /** What the id of a partition says; empty when it is none. */
  public static Optional<PartitionKey> partition(UUID id) {
    if (!isOurs(id)) {
      return Optional.empty();
    }
    long high = id.getMostSignificantBits();
    long low = id.getLeastSignificantBits();
    long partition =
        (high >>> 16 & 0xffff) << 48 | (high & 0xfff) << 36 | (low >>> TAG_BITS & 0xf_ffff_ffffL);
    int tag = (int) (low & (TAGS - 1));
    return Optional.of(new PartitionKey(new StreamInfo.Key((int) (high >>> 32), tag), partition));
  }

  /** A new id of a lease or a dead letter of a queue. */
  public static UUID random(int queue, RandomGenerator random) {
    long high =
        ((long) queue << 32) | (random.nextLong() >>> 48 << 16) | VERSION_8 | random.nextInt(4096);
    return new UUID(high, VARIANT | random.nextLong() >>> 2);
  }

  /** The number of the queue that such an id is about; empty when it is none. */
  public static Optional<Integer> queue(UUID id) {
    return isOurs(id) ? Optional.of((int) (id.getMostSignificantBits() >>> 32)) : Optional.empty();
  }

  private static boolean isOurs(UUID id) {
    return id.version() == 8 && id.variant() == 2;
  }

  /** A new id of the {@code index}th message of a call that was stored at {@code at}. */
  public static UUID message(Instant at, int index, RandomGenerator random) {
    long micros = at.getNano() / 1000 % 1000;
    long high = at.toEpochMilli() << 16 | VERSION_7 | micros << 2;
    return new UUID(high, VARIANT | (long) index << 48 | random.nextLong() >>> 16);
  }
}
