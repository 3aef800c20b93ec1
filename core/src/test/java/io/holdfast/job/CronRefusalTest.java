package io.holdfast.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronRefusalTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "60 * * * * *    | second",
        "60 * * * *      | minute",
        "-1 * * * *      | minute",
        "+1 * * * *      | minute",
        "1.5 * * * *     | minute",
        "*/0 * * * *     | minute",
        "*/ * * * *      | minute",
        "/5 * * * *      | minute",
        "1,,2 * * * *    | minute",
        "1, * * * *      | minute",
        "99999999999 * * * * | minute",
        "? * * * *       | minute",
        "0 24 * * *      | hour",
        "0 5-3 * * *     | hour",
        "0 5- * * *      | hour",
        "0 1-2-3 * * *   | hour",
        "0 x * * *       | hour",
        "0 0 0 * *       | day of month",
        "0 0 32 * *      | day of month",
        "0 0 L-3 * *     | day of month",
        "0 0 ?/2 * *     | day of month",
        "0 0 * 0 *       | month",
        "0 0 * 13 *      | month",
        "0 0 * january * | month",
        "0 0 * * 8       | day of week",
        "0 0 * * MO      | day of week",
        "0 0 * * 7-8     | day of week",
        "0 0 * * SAT-FRI | day of week",
        "0 0 * * 5L      | day of week",
        "0 0 * * 5#0     | day of week",
        "0 0 * * 5#6     | day of week",
        "0 0 * * #1      | day of week",
        "0 0 * * 5#      | day of week",
      })
  void a_field_that_cannot_be_read_is_named(String cron, String field) {
    JobException refusal = refusal(cron, "UTC");

    assertThat(refusal.error()).isEqualTo(JobError.INVALID_SCHEDULE);
    assertThat(refusal)
        .hasMessageContaining("the field " + field)
        .hasMessageContaining("'" + cron + "'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "* * * *",
        "* * * * * * *",
        "hourly",
        "@hour",
        "@Hourly",
        "@every",
        "@reboot"
      })
  void an_expression_has_five_or_six_fields_or_a_name(String cron) {
    assertThat(refusal(cron, "UTC").error()).isEqualTo(JobError.INVALID_SCHEDULE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@every 0s",
        "@every 999ms",
        "@every 1d",
        "@every 30",
        "@every -5s",
        "@every 1s1m",
        "@every 1.5h",
        "@every 43801h",
        "@every 999999999h999999999m"
      })
  void every_takes_hours_minutes_and_seconds_from_one_second_on(String cron) {
    assertThat(refusal(cron, "UTC").error()).isEqualTo(JobError.INVALID_SCHEDULE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Mars/Olympus", "europe/berlin", "+02:00", "UTC+2"})
  void a_zone_outside_the_database_of_zones_is_refused(String zone) {
    JobException refusal = refusal("* * * * *", zone);

    assertThat(refusal.error()).isEqualTo(JobError.INVALID_SCHEDULE);
    assertThat(refusal).hasMessageContaining("the zone '" + zone + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 30,31 2 ?"})
  void a_day_that_no_calendar_has_is_refused(String cron) {
    assertThat(refusal(cron, "UTC").error()).isEqualTo(JobError.INVALID_SCHEDULE);
    assertThat(refusal(cron, "UTC")).hasMessageContaining("the day of month");
  }

  @Test
  void a_schedule_without_a_slot_in_five_years_is_refused() {
    Cron leapDay = Cron.parse("0 0 29 2 *", "UTC");
    Cron leapDayOnFriday = Cron.parse("0 0 ? 2 FRI#5", "UTC");

    assertThatThrownBy(() -> leapDay.next(Instant.parse("2096-03-01T00:00:00Z")))
        .isInstanceOf(JobException.class)
        .hasMessageContaining("5 years");
    assertThat(leapDay.next(Instant.parse("2099-03-01T00:00:00Z")))
        .isEqualTo(Instant.parse("2104-02-29T00:00:00Z"));
    assertThatThrownBy(() -> leapDayOnFriday.next(Instant.parse("2024-03-01T00:00:00Z")))
        .isInstanceOf(JobException.class);
  }

  private static JobException refusal(String cron, String zone) {
    return catchThrowableOfType(JobException.class, () -> Cron.parse(cron, zone));
  }
}
