package io.holdfast.benchmarks;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Counts grants of one key and how often it changed hands, in memory that several processes share.
 * Counting is deliberately unsafe: only the lock under test keeps two holders from losing one of
 * their counts, so a sum that is right says that the lock excludes.
 */
final class Tally {
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final int GRANTS = 0;
  private static final int LAST_HOLDER = 8;
  private static final int HAND_OVERS = 16;
  private static final int CROSSINGS = 24;
  private static final int SIZE = 32;

  /** Holders of one process are numbered within one such range. */
  static final int PROCESS = 1000;

  private final ByteBuffer memory;

  private Tally(ByteBuffer memory) {
    this.memory = memory;
  }

  /** In a file, for every process that opens it. */
  static Tally in(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return new Tally(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
    }
  }

  /** In this process alone. */
  static Tally local() {
    return new Tally(ByteBuffer.allocateDirect(SIZE));
  }

  void reset() {
    set(GRANTS, 0);
    set(LAST_HOLDER, 0);
    set(HAND_OVERS, 0);
    set(CROSSINGS, 0);
  }

  /** To be called under the lock: {@code holder}, which is not 0, has it now. */
  void granted(long holder) {
    long grants = get(GRANTS);
    long last = get(LAST_HOLDER);
    if (last != holder) {
      set(HAND_OVERS, get(HAND_OVERS) + 1);
    }
    if (last / PROCESS != holder / PROCESS) {
      set(CROSSINGS, get(CROSSINGS) + 1);
    }
    set(LAST_HOLDER, holder);
    set(GRANTS, grants + 1);
  }

  /** Fails unless exactly this many grants were counted. */
  void check(String title, long grants) {
    if (get(GRANTS) != grants) {
      throw new IllegalStateException(
          "%s does not exclude: %d grants, %d counted".formatted(title, grants, get(GRANTS)));
    }
  }

  long handOvers() {
    return get(HAND_OVERS);
  }

  /** How many of the hand-overs were from one process to another. */
  long crossings() {
    return get(CROSSINGS);
  }

  private long get(int at) {
    return (long) LONGS.getVolatile(memory, at);
  }

  private void set(int at, long value) {
    LONGS.setVolatile(memory, at, value);
  }
}
