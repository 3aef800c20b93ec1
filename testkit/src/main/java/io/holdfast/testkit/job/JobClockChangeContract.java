package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.Guarantee;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Schedules of zones whose clocks change. */
public abstract class JobClockChangeContract extends JobScheduleSuite {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // An appointment: skipped, it fires at the change; repeated, the first time only.
        "Europe/Berlin | 30 2 * * * | 2026-10-23T12:00:00Z |"
            + " 2026-10-24T00:30:00Z 2026-10-25T00:30:00Z 2026-10-26T01:30:00Z",
        "Europe/Berlin | 30 2 * * * | 2026-10-25T01:10:00Z |"
            + " 2026-10-26T01:30:00Z 2026-10-27T01:30:00Z",
        "Europe/Berlin | 30 2 * * * | 2027-03-26T12:00:00Z |"
            + " 2027-03-27T01:30:00Z 2027-03-28T01:00:00Z 2027-03-29T00:30:00Z",
        "Europe/Berlin | 0 3 * * * | 2027-03-26T12:00:00Z |"
            + " 2027-03-27T02:00:00Z 2027-03-28T01:00:00Z 2027-03-29T01:00:00Z",
        "America/New_York | 30 1 * * * | 2026-10-30T12:00:00Z |"
            + " 2026-10-31T05:30:00Z 2026-11-01T05:30:00Z 2026-11-02T06:30:00Z",
        "America/New_York | 30 2 * * * | 2027-03-12T12:00:00Z |"
            + " 2027-03-13T07:30:00Z 2027-03-14T07:00:00Z 2027-03-15T06:30:00Z",
        // Clocks that change by half an hour.
        "Australia/Lord_Howe | 45 1 * * * | 2027-04-02T00:00:00Z |"
            + " 2027-04-02T14:45:00Z 2027-04-03T14:45:00Z 2027-04-04T15:15:00Z",
        "Australia/Lord_Howe | 15 2 * * * | 2026-10-02T00:00:00Z |"
            + " 2026-10-02T15:45:00Z 2026-10-03T15:30:00Z 2026-10-04T15:15:00Z",
        // Real time: a repeated hour counts twice, a skipped one never.
        "Europe/Berlin | 30 * * * * | 2026-10-24T23:45:00Z |"
            + " 2026-10-25T00:30:00Z 2026-10-25T01:30:00Z 2026-10-25T02:30:00Z",
        "Europe/Berlin | 30 */2 * * * | 2027-03-27T22:45:00Z |"
            + " 2027-03-27T23:30:00Z 2027-03-28T02:30:00Z 2027-03-28T04:30:00Z",
        // A zone whose clocks never change.
        "Asia/Tokyo | 30 2 * * * | 2027-03-26T12:00:00Z |"
            + " 2027-03-26T17:30:00Z 2027-03-27T17:30:00Z 2027-03-28T17:30:00Z",
      })
  @Guarantee("J85")
  void cron_follows_its_zone_through_both_clock_changes(
      String zone, String cron, Instant from, String slots) {
    List<Instant> expected = Arrays.stream(slots.split(" ")).map(Instant::parse).toList();
    moveTo(from);
    jobs.schedules().put(spec("s", cron).zone(zone));

    for (Instant slot : expected) {
      assertThat(schedule("s").nextAt()).isEqualTo(slot);
      moveTo(slot.minusMillis(1));
      assertThat(tick()).isZero();
      moveTo(slot);
      assertThat(tick()).isEqualTo(1);
    }

    assertThat(fired()).containsExactlyElementsOf(expected);
  }
}
