package io.holdfast.memory;

import static io.holdfast.memory.MemoryStreamScene.CALL;
import static io.holdfast.memory.MemoryStreamScene.QUEUE;
import static io.holdfast.memory.MemoryStreamScene.config;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Whatever consumers say, nothing is lost and nothing final comes again. */
class MemoryStreamRandomTest {
  private final MemoryStreamScene scene = new MemoryStreamScene();
  private final Set<UUID> finished = new HashSet<>();
  private final List<Popped> open = new ArrayList<>();
  private int pushed;

  @RepeatedTest(20)
  void every_message_is_completed_or_dead_in_the_end(RepetitionInfo run) {
    Random random = new Random(run.getCurrentRepetition());
    scene.configure(
        config()
            .retrying(1, Duration.ofMillis(5))
            .leaseFor(Duration.ofSeconds(1))
            .with(StreamOption.DELIVERY_LIMIT, 1000));

    for (int step = 0; step < 400; step++) {
      step(random);
    }
    drain();

    int dead = scene.streams.deadLetters().list(DeadLetterQuery.of(QUEUE).limit(9999), CALL).size();
    assertThat(finished).hasSize(pushed);
    assertThat(dead).isLessThanOrEqualTo(pushed);
    assertThat(scene.streams.monitor().tally(QUEUE, PopRequest.QUEUE_MODE, CALL).pending())
        .isZero();
  }

  private void step(Random random) {
    switch (random.nextInt(5)) {
      case 0 -> {
        scene.push("p" + random.nextInt(3), "m" + pushed, "m" + (pushed + 1));
        pushed += 2;
      }
      case 1, 2 -> pop(1 + random.nextInt(5));
      case 3 -> answer(random);
      default -> scene.pass(random.nextInt(10) == 0 ? 1000 : 1);
    }
  }

  private void pop(int batch) {
    Popped popped = scene.ask(PopRequest.of(QUEUE).batch(batch).partitions(2)).popped();
    assertThat(popped.messages()).noneMatch(message -> finished.contains(message.id()));
    if (!popped.isEmpty()) {
      open.add(popped);
    }
  }

  private void answer(Random random) {
    if (open.isEmpty()) {
      return;
    }
    Popped popped = open.get(random.nextInt(open.size()));
    Verdict[] verdicts = new Verdict[popped.messages().size()];
    for (int i = 0; i < verdicts.length; i++) {
      int choice = random.nextInt(8);
      verdicts[i] = choice < 5 ? Verdict.values()[choice] : choice < 7 ? Verdict.COMPLETED : null;
    }
    settle(popped, MemoryStreamScene.acks(popped, verdicts));
  }

  private void settle(Popped popped, List<Ack> acks) {
    List<Acked> acked = scene.ack(acks);
    for (int i = 0; i < acks.size(); i++) {
      boolean isFinal =
          acked.get(i).isDead()
              || (acked.get(i).isSuccess() && acks.get(i).verdict() == Verdict.COMPLETED);
      Ack ack = acks.get(i);
      if (isFinal) {
        popped.messages().stream()
            .filter(message -> message.place().partitionId().equals(ack.partitionId()))
            .filter(message -> message.place().offset() == ack.message().offset())
            .forEach(message -> finished.add(message.id()));
      }
    }
  }

  /** Marks that count later bury messages without a word; those are found among the dead. */
  private void drain() {
    for (int round = 0; round < 2000; round++) {
      scene.pass(1000);
      for (int i = 0; i < 3; i++) {
        if (scene.streams.catalog().partitions(QUEUE, null, 9, CALL).contains("p" + i)) {
          CursorKey cursor = new CursorKey(QUEUE, "p" + i, PopRequest.QUEUE_MODE);
          scene.streams.groups().seed(QUEUE, PopRequest.QUEUE_MODE, CALL);
          scene.streams.leases().unpark(cursor, false, CALL);
        }
      }
      Popped popped = scene.pop(99);
      if (popped.isEmpty()) {
        break;
      }
      assertThat(popped.messages()).noneMatch(message -> finished.contains(message.id()));
      settle(popped, popped.ackAll(Verdict.COMPLETED));
    }
    scene.streams.deadLetters().list(DeadLetterQuery.of(QUEUE).limit(9999), CALL).stream()
        .forEach(letter -> finished.add(letter.message().id()));
  }
}
