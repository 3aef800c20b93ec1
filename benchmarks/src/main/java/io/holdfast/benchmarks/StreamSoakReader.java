package io.holdfast.benchmarks;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Batch;
import io.holdfast.stream.Delivery;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Reads for one group of the soak. Most batches it completes; others it settles in pieces, fails,
 * gives back, prolongs, or comes to too late. Used by one thread.
 */
final class StreamSoakReader {
  private static final Duration PATIENCE = Duration.ofMillis(500);
  private static final int BATCH = 50;
  private static final int PARTITIONS = 10;

  /** Refusals that a slow consumer has to live with. */
  private static final Set<StreamError> EXPECTED =
      EnumSet.of(StreamError.LEASE_LOST, StreamError.REWOUND);

  private final Streams streams;
  private final String group;
  private final StreamNotes notes;
  private final PopRequest request;

  StreamSoakReader(Streams streams, String group, StreamNotes notes) {
    this.streams = streams;
    this.group = group;
    this.notes = notes;
    this.request =
        PopRequest.of(StreamSoakPlan.QUEUE)
            .group(group)
            .batch(BATCH)
            .partitions(PARTITIONS)
            .leaseFor(StreamSoakPlan.LEASE)
            .waiting(PATIENCE);
  }

  /** Pops and settles; false when nothing came. */
  boolean work() throws IOException, InterruptedException {
    Popped popped = streams.pop(request);
    UUID lease = popped.leaseId();
    if (lease == null) {
      return false;
    }
    for (Batch batch : popped.batches()) {
      notes.claimed(batch, StreamSoakPlan.LEASE);
      look(batch);
    }
    int what = ThreadLocalRandom.current().nextInt(200);
    if (what < 4) {
      extend(popped, lease);
    } else if (what == 4) {
      // Longer than the lease: by now the partitions belong to somebody else.
      TimeUnit.MILLISECONDS.sleep(StreamSoakPlan.LEASE.toMillis() * 6 / 5);
    } else if (what < 8) {
      release(popped, lease);
      return true;
    }
    settle(popped);
    return true;
  }

  private void look(Batch batch) throws IOException {
    for (Delivery delivery : batch.deliveries()) {
      long offset = StreamNotes.offset(delivery);
      String expected = StreamSoakPlan.payload(batch.partition(), offset);
      if (!delivery.message().payload().text().equals(expected)) {
        notes.wrong(batch, offset);
      }
    }
  }

  private void extend(Popped popped, UUID lease) throws IOException {
    try {
      Instant expiresAt = streams.extend(lease, StreamSoakPlan.LEASE.multipliedBy(2)).expiresAt();
      for (Batch batch : popped.batches()) {
        if (expiresAt != null) {
          notes.extended(batch, expiresAt);
        }
      }
    } catch (StreamException e) {
      expect(e.error());
    }
  }

  private void release(Popped popped, UUID lease) throws IOException {
    for (Batch batch : popped.batches()) {
      notes.releasing(batch);
    }
    try {
      streams.release(lease, null);
    } catch (StreamException e) {
      expect(e.error());
    }
  }

  private void settle(Popped popped) throws IOException {
    int what = ThreadLocalRandom.current().nextInt(100);
    if (what < 90) {
      settle(popped.batches(), 0, 1, Verdict.COMPLETED);
    } else if (what < 94) {
      settle(popped.batches(), 0, 0.5, Verdict.COMPLETED);
      settle(popped.batches(), 0.5, 1, Verdict.COMPLETED);
    } else if (what < 97) { // the second half first
      settle(popped.batches(), 0.5, 1, Verdict.COMPLETED);
      settle(popped.batches(), 0, 0.5, Verdict.COMPLETED);
    } else if (what < 99) {
      settle(popped.batches(), 0, 1, Verdict.RETRY);
    } else {
      settle(popped.batches(), 0, 1, Verdict.FAILED);
    }
  }

  /** Settles a stretch of every batch; a verdict other than completed is that of its middle. */
  private void settle(List<Batch> batches, double from, double to, Verdict middle)
      throws IOException {
    List<Part> parts = new ArrayList<>();
    List<Ack> acks = new ArrayList<>();
    for (Batch batch : batches) {
      Part part = Part.of(batch, from, to, middle);
      if (!part.verdicts.isEmpty()) {
        parts.add(part);
        acks.addAll(part.acks(group));
        notes.settling(batch, part.completed());
      }
    }
    List<Acked> answers = streams.ack(acks);
    int next = 0;
    for (Part part : parts) {
      int end = next + part.verdicts.size();
      answered(part, answers.subList(next, end));
      next = end;
    }
  }

  private void answered(Part part, List<Acked> answers) throws IOException {
    List<Long> settled = new ArrayList<>();
    boolean isReleased = false;
    for (int i = 0; i < answers.size(); i++) {
      Acked answer = answers.get(i);
      if (answer.error() != null) {
        expect(answer.error());
      } else if (part.verdicts.get(i) == Verdict.COMPLETED) {
        settled.add(StreamNotes.offset(part.deliveries.get(i)));
      }
      isReleased |= answer.isReleased();
    }
    notes.settled(part.batch, isReleased, settled);
  }

  /** A refusal that is part of the exercise; anything else is not. */
  private static void expect(StreamError error) {
    if (!EXPECTED.contains(error)) {
      throw new IllegalStateException("refused with " + error);
    }
  }

  /** A stretch of a batch and what is said about it. */
  private record Part(Batch batch, List<Delivery> deliveries, List<Verdict> verdicts) {
    static Part of(Batch batch, double from, double to, Verdict middle) {
      int size = batch.deliveries().size();
      List<Delivery> some =
          batch.deliveries().subList((int) Math.round(size * from), (int) Math.round(size * to));
      List<Verdict> verdicts = new ArrayList<>();
      for (int i = 0; i < some.size(); i++) {
        verdicts.add(i == some.size() / 2 ? middle : Verdict.COMPLETED);
      }
      return new Part(batch, some, verdicts);
    }

    List<Ack> acks(String group) {
      List<Ack> acks = new ArrayList<>();
      for (int i = 0; i < verdicts.size(); i++) {
        acks.add(Ack.of(group, batch, deliveries.get(i).message(), verdicts.get(i)));
      }
      return acks;
    }

    List<Long> completed() {
      List<Long> offsets = new ArrayList<>();
      for (int i = 0; i < verdicts.size(); i++) {
        if (verdicts.get(i) == Verdict.COMPLETED) {
          offsets.add(StreamNotes.offset(deliveries.get(i)));
        }
      }
      return offsets;
    }
  }
}
