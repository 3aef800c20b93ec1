package io.holdfast.memory;

import io.holdfast.lease.HandClock;
import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Batch;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Entry;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.Message;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamLeases.PopAnswer;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.StreamStore;
import io.holdfast.stream.Verdict;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** One queue, the group without a name, and a clock moved by hand. */
final class MemoryStreamScene {
  static final String QUEUE = "orders";
  static final StoreCall CALL = StoreCall.plain();

  final HandClock clock = new HandClock();
  final MemoryStore store = new MemoryStore(clock);
  final StreamStore streams = store.streams();
  private long ms = 1_000_000;

  MemoryStreamScene() {
    clock.to(ms);
  }

  static StreamConfig config() {
    return StreamConfig.of(QUEUE);
  }

  void configure(StreamConfig config) {
    streams.catalog().configure(config, CALL);
  }

  void pass(long millis) {
    ms += millis;
    clock.to(ms);
  }

  static Entry entry(String partition, String text) {
    return new Entry(QUEUE, partition, Payload.of(text), false, text, null, null);
  }

  List<Pushed> push(String partition, String... texts) {
    List<Entry> entries = Arrays.stream(texts).map(text -> entry(partition, text)).toList();
    return ((StreamLog.Appended) streams.log().push(entries, CALL)).pushed();
  }

  PopAnswer ask(PopRequest request) {
    return streams.leases().pop(List.of(request), CALL).get(0);
  }

  Popped pop(int batch) {
    return ask(PopRequest.of(QUEUE).batch(batch)).popped();
  }

  static List<String> texts(Popped popped) {
    return popped.messages().stream().map(Message::payload).map(Payload::text).toList();
  }

  static List<String> partitions(Popped popped) {
    return popped.batches().stream().map(Batch::partition).toList();
  }

  List<Acked> ack(List<Ack> acks) {
    return streams.leases().ack(acks, CALL).acked();
  }

  List<Acked> ackAll(Popped popped, Verdict verdict) {
    return ack(popped.ackAll(verdict));
  }

  /** Verdicts about the first messages of a pop; null leaves one out. */
  static List<Ack> acks(Popped popped, Verdict... verdicts) {
    List<Ack> completed = popped.ackAll(Verdict.COMPLETED);
    return IntStream.range(0, verdicts.length)
        .filter(i -> verdicts[i] != null)
        .mapToObj(i -> with(completed.get(i), verdicts[i]))
        .toList();
  }

  private static Ack with(Ack ack, Verdict verdict) {
    return new Ack(ack.partitionId(), ack.group(), ack.leaseId(), ack.message(), verdict, "why");
  }

  List<DeadLetter> dead() {
    return streams.deadLetters().list(DeadLetterQuery.of(QUEUE), CALL);
  }

  Explanation explain(String partition) {
    CursorKey cursor = new CursorKey(QUEUE, partition, PopRequest.QUEUE_MODE);
    return streams.monitor().explain(cursor, CALL);
  }
}
