package io.holdfast.benchmarks;

import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Streams;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The one producer of the soak, so it knows the number of each message before it is stored. */
final class StreamSoakProducer {
  static final int BATCH = 100;

  private final Streams streams;
  private final long[] lasts;
  private int pushed;
  private int misplaced;

  StreamSoakProducer(Streams streams, int partitions) {
    this.streams = streams;
    this.lasts = new long[partitions];
  }

  /** Pushes to partitions at random; every hundredth push is all for one. */
  void push(int count) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    int hot = random.nextInt(100) == 0 ? random.nextInt(lasts.length) : -1;
    List<NewMessage> messages = new ArrayList<>(count);
    List<Long> expected = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int number = hot < 0 ? random.nextInt(lasts.length) : hot;
      String partition = StreamSoakPlan.partition(number);
      long offset = ++lasts[number];
      String payload = StreamSoakPlan.payload(partition, offset);
      messages.add(NewMessage.to(StreamSoakPlan.QUEUE, payload).in(partition).once(payload));
      expected.add(offset);
    }
    List<Pushed> answers = streams.push(messages);
    for (int i = 0; i < count; i++) {
      misplaced += answers.get(i).offset() == expected.get(i) ? 0 : 1;
    }
    pushed += count;
  }

  int pushed() {
    return pushed;
  }

  /** Messages that got another number than their turn. */
  int misplaced() {
    return misplaced;
  }

  int partitions() {
    return lasts.length;
  }

  /** The last number of a partition. */
  long last(int partition) {
    return lasts[partition];
  }
}
