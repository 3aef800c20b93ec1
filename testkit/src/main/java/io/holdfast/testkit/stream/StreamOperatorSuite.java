package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Batch;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What suites need that look at streams as their operators and runtimes do. */
public abstract class StreamOperatorSuite extends StreamSuite {
  /** Longer than the pause between two runs of a duty. */
  protected static final Duration UPKEEP = Duration.ofSeconds(61);

  /** The place of {@link #GROUP} in a partition of {@link #QUEUE}. */
  protected static CursorKey cursor(String partition) {
    return new CursorKey(QUEUE, partition, GROUP);
  }

  /** Pops one partition for {@link #GROUP}. */
  protected Popped popOf(String partition, int batch) {
    return streams.pop(request(batch).partition(partition));
  }

  /** Pops for another group. */
  protected Popped popFor(String group, int batch) {
    return streams.pop(PopRequest.of(QUEUE).group(group).batch(batch));
  }

  /** Everything that a group can read now, completed as it comes. */
  protected List<String> drained(String group) {
    return drained(PopRequest.of(QUEUE).group(group));
  }

  /** Everything that such pops bring now, completed as it comes. */
  protected List<String> drained(PopRequest request) {
    List<String> all = new ArrayList<>();
    PopRequest wide = request.batch(1_000).partitions(1_000);
    for (Popped popped = streams.pop(wide); !popped.isEmpty(); popped = streams.pop(wide)) {
      all.addAll(texts(popped));
      assertThat(ack(popped, Verdict.COMPLETED)).allMatch(acked -> acked.error() == null);
    }
    return all;
  }

  /** Settles everything that was popped, for a reason. */
  protected void ack(Popped popped, Verdict verdict, String why) {
    List<Ack> acks =
        popped.ackAll(verdict).stream().map((Ack verdictOf) -> verdictOf.because(why)).toList();
    assertThat(streams.ack(acks)).allMatch(acked -> acked.error() == null);
  }

  /** Pushes a message that {@link #GROUP} gives up at once. */
  protected DeadLetter buried(String partition, String text, String why) {
    push(partition, text);
    return buriedHead(partition, why);
  }

  /** Gives up the next message of a partition. */
  protected DeadLetter buriedHead(String partition, String why) {
    ack(popOf(partition, 1), Verdict.DEAD_LETTER, why);
    return streams.deadLetters().list(DeadLetterQuery.of(QUEUE).partition(partition)).get(0);
  }

  /** What is stored in {@link #QUEUE}, oldest first. */
  protected List<String> stored() {
    List<StoredMessage> newestFirst =
        streams.browser().messages(MessageQuery.of(QUEUE).limit(1_000));
    List<String> texts = new ArrayList<>();
    newestFirst.forEach(stored -> texts.add(0, stored.message().payload().text()));
    return texts;
  }

  /** How many offsets {@link #GROUP} has passed, also before it is known. */
  protected long passed() {
    boolean isKnown =
        streams.admin().groups(QUEUE).stream().anyMatch(group -> group.name().equals(GROUP));
    return isKnown ? streams.browser().tally(QUEUE, GROUP).passed() : 0;
  }

  /** A group of {@link #QUEUE}. */
  protected GroupInfo group(String name) {
    return streams.admin().groups(QUEUE).stream()
        .filter(group -> group.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** The lease of a pop that brought something. */
  protected static UUID lease(Popped popped) {
    return Objects.requireNonNull(popped.leaseId(), "nothing is leased");
  }

  /** The fence of a pop's only batch. */
  protected static long fence(Popped popped) {
    Batch.Held held = popped.batches().get(0).lease();
    return Objects.requireNonNull(held, "nothing is leased").fence();
  }

  /** How often the messages of a pop have been delivered. */
  protected static List<Integer> attempts(Popped popped) {
    return popped.batches().stream()
        .flatMap(batch -> batch.deliveries().stream())
        .map(delivery -> delivery.attempt())
        .toList();
  }

  /** Waits, in real time, for what threads and stepped duties bring about without the clock. */
  protected void stepping(BooleanSupplier condition) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      settle();
      assertThat(System.nanoTime() - until).as("it happens").isNegative();
      LockSupport.parkNanos(100_000);
    }
  }

  /** Lets time go by, second by second, until it has happened. */
  protected void ticking(BooleanSupplier condition) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      pass(Duration.ofSeconds(1));
      assertThat(System.nanoTime() - until).as("it happens").isNegative();
    }
  }

  /** So many numbered messages for a partition of {@link #QUEUE}. */
  protected static List<NewMessage> numbered(String partition, int count) {
    List<NewMessage> messages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      messages.add(NewMessage.to(QUEUE, partition + "." + i).in(partition));
    }
    return messages;
  }
}
