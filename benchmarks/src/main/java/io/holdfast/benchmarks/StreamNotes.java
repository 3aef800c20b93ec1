package io.holdfast.benchmarks;

import io.holdfast.stream.Batch;
import io.holdfast.stream.Delivery;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What one consumer of the soak writes down, a line at a time, each handed to the system at once:
 * whoever is killed loses at most the line it is writing. Before a consumer settles or gives back,
 * it notes that it is about to; if no answer follows, nobody knows what became of it.
 *
 * <p>A line is a kind, a group, a partition, a fence, and what belongs to the kind, apart by
 * spaces. Used by one thread.
 */
final class StreamNotes implements AutoCloseable {
  /** {@code claimedAt expiresAt offset,...}: these messages were given. */
  static final String CLAIMED = "claimed";

  /** {@code expiresAt}: the lease was prolonged. */
  static final String EXTENDED = "extended";

  /** {@code offset,...}: these are about to be settled. */
  static final String SETTLING = "settling";

  /** {@code isReleased offset,...}: of those, these are settled. */
  static final String SETTLED = "settled";

  /** The lease is about to be given back. */
  static final String RELEASING = "releasing";

  /** {@code offset}: this message carries what it should not. */
  static final String WRONG = "wrong";

  private final Writer writer;
  private final String group;

  StreamNotes(Path file, String group) throws IOException {
    this.writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
    this.group = group;
  }

  /** The instant of the claim is that of the database's clock, from which the lease runs. */
  void claimed(Batch batch, Duration lease) throws IOException {
    Instant expiresAt = lease(batch).expiresAt();
    List<Long> offsets = batch.deliveries().stream().map(StreamNotes::offset).toList();
    write(CLAIMED, batch, expiresAt.minus(lease) + " " + expiresAt + " " + join(offsets));
  }

  void extended(Batch batch, Instant expiresAt) throws IOException {
    write(EXTENDED, batch, expiresAt.toString());
  }

  void settling(Batch batch, List<Long> offsets) throws IOException {
    write(SETTLING, batch, join(offsets));
  }

  void settled(Batch batch, boolean isReleased, List<Long> offsets) throws IOException {
    write(SETTLED, batch, isReleased + " " + join(offsets));
  }

  void releasing(Batch batch) throws IOException {
    write(RELEASING, batch, "");
  }

  void wrong(Batch batch, long offset) throws IOException {
    write(WRONG, batch, Long.toString(offset));
  }

  private void write(String kind, Batch batch, String rest) throws IOException {
    String place = batch.partition() + " " + lease(batch).fence();
    writer.write(kind + " " + group + " " + place + " " + rest + "\n");
    writer.flush();
  }

  private static Batch.Held lease(Batch batch) {
    Batch.Held lease = batch.lease();
    if (lease == null) {
      throw new IllegalStateException("a batch without a lease");
    }
    return lease;
  }

  static long offset(Delivery delivery) {
    return delivery.message().place().offset();
  }

  private static String join(List<Long> offsets) {
    return offsets.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
