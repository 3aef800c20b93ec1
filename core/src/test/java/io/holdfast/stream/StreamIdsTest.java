package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class StreamIdsTest {
  private final Random random = new Random(7);

  @Test
  void a_partition_id_carries_its_queue_and_its_number() {
    for (long partition : new long[] {1, 99, 1L << 36, (1L << 48) + 5, Long.MAX_VALUE}) {
      StreamInfo.Key queue = new StreamInfo.Key(7 + random.nextInt(1000), random.nextInt(1 << 26));

      UUID id = StreamIds.partition(queue, partition);

      assertThat(id.version()).isEqualTo(8);
      assertThat(id.variant()).isEqualTo(2);
      assertThat(StreamIds.partition(id)).contains(new StreamIds.PartitionKey(queue, partition));
    }
  }

  @Test
  void the_id_of_a_partition_is_the_one_that_the_database_makes() {
    UUID id = StreamIds.partition(new StreamInfo.Key(7, 12345), 99);

    assertThat(id).isEqualTo(UUID.fromString("00000007-0000-8000-8000-00018c003039"));
  }

  @Test
  void a_random_id_carries_its_queue() {
    UUID id = StreamIds.random(42, random);

    assertThat(id.version()).isEqualTo(8);
    assertThat(StreamIds.queue(id)).contains(42);
    assertThat(StreamIds.random(42, random)).isNotEqualTo(id);
  }

  @Test
  void an_id_of_another_make_says_nothing() {
    UUID foreign = UUID.fromString("0b9f1a52-6f3c-4d6e-9c51-3f6f5a1b2c3d");

    assertThat(StreamIds.partition(foreign)).isEmpty();
    assertThat(StreamIds.queue(foreign)).isEmpty();
  }

  @Test
  void message_ids_grow_with_time_and_place() {
    Instant at = Instant.parse("2026-05-01T10:00:00.123456Z");

    UUID first = StreamIds.message(at, 0, random);
    UUID second = StreamIds.message(at, 1, random);
    UUID later = StreamIds.message(at.plusNanos(1000), 0, random);

    assertThat(first.version()).isEqualTo(7);
    assertThat(first.toString()).isLessThan(second.toString());
    assertThat(second.toString()).isLessThan(later.toString());
    assertThat(first.getMostSignificantBits() >>> 16).isEqualTo(at.toEpochMilli());
  }
}
