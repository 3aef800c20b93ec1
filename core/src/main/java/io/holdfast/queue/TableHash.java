package io.holdfast.queue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Short names for queues and places for items, both by MD5: they are part of the table format. */
public final class TableHash {
  private static final int DIGITS = 10;

  private TableHash() {}

  /** The ten characters that stand for a queue's name in the names of its tables. */
  public static String of(String queue) {
    return Base62.encode(md5(queue).getLong(), DIGITS).substring(0, DIGITS);
  }

  /** Which of {@code partitions} of a dead queue takes the item whose id is {@code sourceId}. */
  public static int partition(String sourceId, int partitions) {
    return (int) (Integer.toUnsignedLong(md5(sourceId).getInt()) % partitions);
  }

  private static ByteBuffer md5(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("MD5");
      return ByteBuffer.wrap(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has MD5", e);
    }
  }
}
