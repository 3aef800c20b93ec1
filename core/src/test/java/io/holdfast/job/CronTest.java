package io.holdfast.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "* * * * *          | 2024-05-01T10:20:30Z | 2024-05-01T10:21:00Z",
        "* * * * * *        | 2024-05-01T10:20:30Z | 2024-05-01T10:20:31Z",
        "* * * * *          | 2024-05-01T10:20:00Z | 2024-05-01T10:21:00Z",
        "*/15 * * * *       | 2024-05-01T10:45:00Z | 2024-05-01T11:00:00Z",
        "5/20 * * * *       | 2024-05-01T10:25:00Z | 2024-05-01T10:45:00Z",
        "10-20/5 3 * * *    | 2024-05-01T03:10:00Z | 2024-05-01T03:15:00Z",
        "10-20/5 3 * * *    | 2024-05-01T03:20:00Z | 2024-05-02T03:10:00Z",
        "0,30 9,17 * * *    | 2024-05-01T09:30:00Z | 2024-05-01T17:00:00Z",
        "59 23 31 12 *      | 2024-05-01T00:00:00Z | 2024-12-31T23:59:00Z",
        "15 30 4 * * *      | 2024-05-01T04:30:15Z | 2024-05-02T04:30:15Z",
        "*/90 * * * *       | 2024-05-01T10:20:00Z | 2024-05-01T11:00:00Z",
        "0 0 29 2 *         | 2024-02-29T00:00:00Z | 2028-02-29T00:00:00Z",
        "0 0 31 * *         | 2024-01-31T00:00:00Z | 2024-03-31T00:00:00Z",
      })
  void numbers_ranges_steps_and_lists_are_read(String cron, Instant from, Instant expected) {
    assertThat(utc(cron).next(from)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 0 * jan *        | 2024-05-01T00:00:00Z | 2025-01-01T00:00:00Z",
        "0 0 1 FEB-Apr *    | 2024-03-02T00:00:00Z | 2024-04-01T00:00:00Z",
        "0 0 * * mon        | 2024-05-01T00:00:00Z | 2024-05-06T00:00:00Z",
        "0 0 * * Sat-SUN    | 2024-05-04T00:00:00Z | 2024-05-05T00:00:00Z",
        "0 0 * * 0          | 2024-05-01T00:00:00Z | 2024-05-05T00:00:00Z",
        "0 0 * * 7          | 2024-05-01T00:00:00Z | 2024-05-05T00:00:00Z",
        "0 0 * * 5-7        | 2024-05-04T00:00:00Z | 2024-05-05T00:00:00Z",
        "0 0 * * 5-7        | 2024-05-05T00:00:00Z | 2024-05-10T00:00:00Z",
        "0 0 * * 0-2        | 2024-05-07T00:00:00Z | 2024-05-12T00:00:00Z",
        "0 0 * * 1/2        | 2024-05-03T00:00:00Z | 2024-05-06T00:00:00Z",
      })
  void months_and_weekdays_have_names_and_sunday_two_numbers(
      String cron, Instant from, Instant expected) {
    assertThat(utc(cron).next(from)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 0 L * *          | 2024-01-31T00:00:00Z | 2024-02-29T00:00:00Z",
        "0 0 L 2 ?          | 2024-02-29T00:00:00Z | 2025-02-28T00:00:00Z",
        "0 0 1,L * *        | 2024-05-01T00:00:00Z | 2024-05-31T00:00:00Z",
        "0 0 * * FRI#2      | 2024-05-01T00:00:00Z | 2024-05-10T00:00:00Z",
        "0 0 ? * 7#1        | 2024-05-05T00:00:00Z | 2024-06-02T00:00:00Z",
        "0 0 * * 5#5        | 2024-05-01T00:00:00Z | 2024-05-31T00:00:00Z",
        "0 0 * * 5#5        | 2024-05-31T00:00:00Z | 2024-08-30T00:00:00Z",
        "0 0 * * MON#1,MON#3| 2024-05-06T00:00:00Z | 2024-05-20T00:00:00Z",
      })
  void the_last_day_and_the_kth_weekday_can_be_asked_for(
      String cron, Instant from, Instant expected) {
    assertThat(utc(cron).next(from)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 0 13 * FRI       | 2024-09-06T00:00:00Z | 2024-09-13T00:00:00Z",
        "0 0 13 * FRI       | 2024-09-07T00:00:00Z | 2024-09-13T00:00:00Z",
        "0 0 13 * FRI       | 2024-10-11T00:00:00Z | 2024-10-13T00:00:00Z",
        "0 0 13 * FRI       | 2024-10-13T00:00:00Z | 2024-10-18T00:00:00Z",
        "0 0 13 * *         | 2024-10-11T00:00:00Z | 2024-10-13T00:00:00Z",
        "0 0 ? * FRI        | 2024-10-11T00:00:00Z | 2024-10-18T00:00:00Z",
        "0 0 1-31 * FRI     | 2024-10-11T00:00:00Z | 2024-10-12T00:00:00Z",
        "0 0 */10 * FRI     | 2024-10-11T00:00:00Z | 2024-10-18T00:00:00Z",
        "0 0 */10 * FRI     | 2024-10-18T00:00:00Z | 2024-10-21T00:00:00Z",
        "0 0 L * MON#1      | 2024-10-07T00:00:00Z | 2024-10-31T00:00:00Z",
      })
  void of_two_restricted_day_fields_one_is_enough(String cron, Instant from, Instant expected) {
    assertThat(utc(cron).next(from)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "@hourly,   2024-05-01T10:20:30Z, 2024-05-01T11:00:00Z",
    "@daily,    2024-05-01T10:20:30Z, 2024-05-02T00:00:00Z",
    "@midnight, 2024-05-01T10:20:30Z, 2024-05-02T00:00:00Z",
    "@weekly,   2024-05-01T10:20:30Z, 2024-05-05T00:00:00Z",
    "@monthly,  2024-05-01T10:20:30Z, 2024-06-01T00:00:00Z",
    "@yearly,   2024-05-01T10:20:30Z, 2025-01-01T00:00:00Z",
    "@annually, 2024-05-01T10:20:30Z, 2025-01-01T00:00:00Z",
  })
  void common_rhythms_have_names(String cron, Instant from, Instant expected) {
    assertThat(utc(cron).next(from)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "@every 1s,       2024-05-01T10:20:30.999999Z, 2024-05-01T10:20:31Z",
    "@every 30s,      2024-05-01T10:20:30Z,        2024-05-01T10:21:00Z",
    "@every 90m,      2024-05-01T10:20:30.5Z,      2024-05-01T11:50:30Z",
    "@every 1h30m15s, 2024-05-01T10:20:30Z,        2024-05-01T11:50:45Z",
    "@every  48h,     2024-05-01T10:20:30Z,        2024-05-03T10:20:30Z",
  })
  void every_counts_from_the_instant_given(String cron, Instant from, Instant expected) {
    assertThat(utc(cron).next(from)).isEqualTo(expected);
  }

  @Test
  void a_slot_is_strictly_after_the_instant_given() {
    Cron cron = utc("0 12 * * *");
    Instant noon = Instant.parse("2024-05-01T12:00:00Z");

    assertThat(cron.next(noon.minusNanos(1))).isEqualTo(noon);
    assertThat(cron.next(noon)).isEqualTo(noon.plusSeconds(86_400));
    assertThat(cron.next(noon.plusNanos(1))).isEqualTo(noon.plusSeconds(86_400));
  }

  @Test
  void instants_before_the_epoch_are_counted_too() {
    assertThat(utc("30 6 * * *").next(Instant.parse("1969-12-30T06:30:00Z")))
        .isEqualTo(Instant.parse("1969-12-31T06:30:00Z"));
  }

  @Test
  void a_slot_follows_the_wall_of_its_zone() {
    Cron cron = Cron.parse("0 9 * * *", "Asia/Tokyo");

    assertThat(cron.next(Instant.parse("2024-05-01T00:00:00Z")))
        .isEqualTo(Instant.parse("2024-05-02T00:00:00Z"));
  }

  @Test
  void a_million_slots_are_found_in_passing() {
    Cron cron = Cron.parse("0 0,30 8-18 * * MON-FRI", "Europe/Berlin");
    Instant slot = Instant.parse("2024-01-01T00:00:00Z");
    List<Instant> some = new ArrayList<>();

    for (int i = 0; i < 1_000_000; i++) {
      slot = cron.next(slot);
      if (i % 100_000 == 0) {
        some.add(slot);
      }
    }

    assertThat(some).isSorted().doesNotHaveDuplicates();
  }

  private static Cron utc(String cron) {
    return Cron.parse(cron, "UTC");
  }
}
