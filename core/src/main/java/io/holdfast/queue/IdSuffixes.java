package io.holdfast.queue;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of an item id that makes it unique: a number that counts this process's inserts, and a
 * random name of the process. When the numbers are used up there is a new name, so no suffix is
 * ever given out twice. Safe for use by many threads.
 */
public final class IdSuffixes {
  private static final int SEQUENCE_DIGITS = 6;
  private static final int INSTANCE_DIGITS = 11;
  private static final long END = 62L * 62 * 62 * 62 * 62 * 62;

  private final SecureRandom random = new SecureRandom();
  private long next;
  private String instance;

  /** Starts at the first number. */
  public IdSuffixes() {
    this(0);
  }

  IdSuffixes(long next) {
    this.next = next;
    this.instance = newInstance();
  }

  /** So many suffixes in growing order. */
  public List<String> take(int count) {
    long first;
    String name;
    synchronized (this) {
      if (next + count > END) {
        next = 0;
        instance = newInstance();
      }
      first = next;
      name = instance;
      next += count;
    }
    List<String> suffixes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      suffixes.add(Base62.encode(first + i, SEQUENCE_DIGITS) + name);
    }
    return suffixes;
  }

  private String newInstance() {
    // 62^11 is greater than 2^64: any number fits.
    return Base62.encode(random.nextLong(), INSTANCE_DIGITS);
  }
}
