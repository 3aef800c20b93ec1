package io.holdfast.job;

import static io.holdfast.job.ScheduleSpec.Missed.RUN_ONCE;
import static io.holdfast.job.ScheduleSpec.Missed.SKIP;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class SlotsTest {
  private static final Instant NOON = Instant.parse("2024-05-01T12:00:00Z");
  private static final Cron EACH_MINUTE = Cron.parse("* * * * *", "UTC");

  @Test
  void nothing_fires_before_the_slot() {
    assertThat(Slots.due(EACH_MINUTE, NOON, NOON.minusNanos(1000), RUN_ONCE).fire()).isEmpty();
    assertThat(Slots.due(EACH_MINUTE, NOON, NOON.minusNanos(1000), RUN_ONCE).next())
        .isEqualTo(NOON);
  }

  @Test
  void a_slot_fires_at_its_instant() {
    Slots slots = Slots.due(EACH_MINUTE, NOON, NOON, SKIP);

    assertThat(slots.fire()).containsExactly(NOON);
    assertThat(slots.next()).isEqualTo(NOON.plusSeconds(60));
  }

  @Test
  void a_slot_is_missed_when_it_is_more_than_ten_seconds_late() {
    Instant late = NOON.plusSeconds(10);

    assertThat(Slots.due(EACH_MINUTE, NOON, late, SKIP).fire()).containsExactly(NOON);
    assertThat(Slots.due(EACH_MINUTE, NOON, late.plusNanos(1000), SKIP).fire()).isEmpty();
    assertThat(Slots.due(EACH_MINUTE, NOON, late.plusNanos(1000), RUN_ONCE).fire())
        .containsExactly(NOON);
  }

  @Test
  void of_missed_slots_the_newest_fires_beside_those_on_time() {
    Instant now = NOON.plusSeconds(125);

    assertThat(Slots.due(EACH_MINUTE, NOON, now, RUN_ONCE).fire())
        .containsExactly(NOON.plusSeconds(60), NOON.plusSeconds(120));
    assertThat(Slots.due(EACH_MINUTE, NOON, now, SKIP).fire())
        .containsExactly(NOON.plusSeconds(120));
    assertThat(Slots.due(EACH_MINUTE, NOON, now, SKIP).next()).isEqualTo(NOON.plusSeconds(180));
  }

  @Test
  void a_long_absence_costs_no_search_of_every_slot() {
    Cron eachSecond = Cron.parse("* * * * * *", "Europe/Berlin");
    Instant now = NOON.plusSeconds(10L * 365 * 86_400);

    assertThat(Slots.due(eachSecond, NOON, now, RUN_ONCE).fire())
        .hasSize(12)
        .startsWith(now.minusSeconds(11))
        .endsWith(now);
  }

  @Test
  void a_rare_schedule_finds_its_newest_missed_slot() {
    Cron yearly = Cron.parse("@yearly", "UTC");
    Instant now = Instant.parse("2024-12-31T23:59:59Z");

    Slots slots = Slots.due(yearly, Instant.parse("2020-01-01T00:00:00Z"), now, RUN_ONCE);

    assertThat(slots.fire()).containsExactly(Instant.parse("2024-01-01T00:00:00Z"));
    assertThat(slots.next()).isEqualTo(Instant.parse("2025-01-01T00:00:00Z"));
  }

  @Test
  void a_missed_slot_of_every_keeps_the_count_from_its_first() {
    Cron every = Cron.parse("@every 7m", "UTC");

    Slots slots = Slots.due(every, NOON, NOON.plusSeconds(30 * 60), RUN_ONCE);

    assertThat(slots.fire()).containsExactly(NOON.plusSeconds(28 * 60));
    assertThat(slots.next()).isEqualTo(NOON.plusSeconds(35 * 60));
  }

  @Test
  void the_key_of_a_slot_names_it_and_can_be_read_back() {
    String key = Slots.key("nightly:import T", NOON);

    assertThat(key).isEqualTo("schedule:nightly:import T:2024-05-01T12:00:00Z");
    assertThat(Slots.of(key)).contains(NOON);
    assertThat(Slots.of("order-17")).isEmpty();
    assertThat(Slots.of("schedule:x")).isEmpty();
    assertThat(Slots.of(null)).isEmpty();
  }
}
