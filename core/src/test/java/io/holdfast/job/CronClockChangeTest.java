package io.holdfast.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Slots around the changes of clocks, beside a search that looks at every minute. */
class CronClockChangeTest {
  private static final int EXPRESSIONS = 60;

  @ParameterizedTest
  @CsvSource({
    // Both changes of the year, the whole day before, during and after.
    "Europe/Berlin,       2024-03-29T00:00:00Z, 2024-04-02T00:00:00Z",
    "Europe/Berlin,       2024-10-25T00:00:00Z, 2024-10-29T00:00:00Z",
    "America/New_York,    2024-03-08T00:00:00Z, 2024-03-12T00:00:00Z",
    "America/New_York,    2024-11-01T00:00:00Z, 2024-11-05T00:00:00Z",
    "Australia/Lord_Howe, 2024-04-05T00:00:00Z, 2024-04-09T00:00:00Z",
    "Australia/Lord_Howe, 2024-10-04T00:00:00Z, 2024-10-08T00:00:00Z",
    // A change at midnight, a day that was left out, and a zone whose clocks never change.
    "America/Santiago,    2024-09-06T00:00:00Z, 2024-09-10T00:00:00Z",
    "Pacific/Apia,        2011-12-28T00:00:00Z, 2012-01-02T00:00:00Z",
    "Asia/Tokyo,          2024-03-29T00:00:00Z, 2024-04-02T00:00:00Z",
  })
  void slots_are_those_of_a_search_minute_by_minute(String zone, Instant from, Instant to) {
    Random random = new Random(42);
    for (int i = 0; i < EXPRESSIONS; i++) {
      Expression expression = Expression.random(random, i % 3 == 0);
      Cron cron = Cron.parse(expression.text(), zone);

      assertThat(slots(cron, from, to))
          .as("%s in %s", expression.text(), zone)
          .containsExactlyElementsOf(expression.search(ZoneId.of(zone), from, to));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Europe/Berlin,       30 2 * * *,    2024-03-30T12:00:00Z, 2024-03-31T01:00:00Z",
    "Europe/Berlin,       0 0/10 2 * * *,2024-03-30T12:00:00Z, 2024-03-31T01:00:00Z",
    "America/New_York,    30 2 * * *,    2024-03-09T12:00:00Z, 2024-03-10T07:00:00Z",
    "Australia/Lord_Howe, 15 2 * * *,    2024-10-05T12:00:00Z, 2024-10-05T15:30:00Z",
  })
  void a_skipped_time_fires_at_the_change_and_then_a_day_later(
      String zone, String text, Instant before, Instant change) {
    Cron cron = Cron.parse(text, zone);

    assertThat(cron.next(before)).isEqualTo(change);
    assertThat(cron.next(change)).isAfter(change.plusSeconds(22 * 3600));
  }

  @Test
  void a_repeated_time_fires_the_first_time_only() {
    Cron cron = Cron.parse("30 2 * * *", "Europe/Berlin");

    assertThat(slots(cron, at("2024-10-26T12:00:00Z"), at("2024-10-28T12:00:00Z")))
        .containsExactly(at("2024-10-27T00:30:00Z"), at("2024-10-28T01:30:00Z"));
    assertThat(cron.next(at("2024-10-27T01:10:00Z")))
        .as("asked while the hour repeats")
        .isEqualTo(at("2024-10-28T01:30:00Z"));
  }

  @Test
  void an_hour_with_a_star_fires_twice_when_repeated_and_never_when_skipped() {
    Cron cron = Cron.parse("30 */2 * * *", "Europe/Berlin");

    assertThat(slots(cron, at("2024-10-26T23:00:00Z"), at("2024-10-27T04:00:00Z")))
        .containsExactly(
            at("2024-10-27T00:30:00Z"), at("2024-10-27T01:30:00Z"), at("2024-10-27T03:30:00Z"));
    assertThat(slots(cron, at("2024-03-30T23:00:00Z"), at("2024-03-31T04:00:00Z")))
        .containsExactly(at("2024-03-30T23:30:00Z"), at("2024-03-31T02:30:00Z"));
  }

  @Test
  void every_second_of_a_repeated_hour_is_kept_once() {
    Cron cron = Cron.parse("* * 2 * * *", "Europe/Berlin");

    assertThat(slots(cron, at("2024-10-26T12:00:00Z"), at("2024-10-27T12:00:00Z")))
        .hasSize(3600)
        .endsWith(at("2024-10-27T00:59:59Z"));
  }

  private static Instant at(String text) {
    return Instant.parse(text);
  }

  private static List<Instant> slots(Cron cron, Instant from, Instant to) {
    List<Instant> slots = new ArrayList<>();
    for (Instant slot = cron.next(from); slot.isBefore(to); slot = cron.next(slot)) {
      slots.add(slot);
    }
    return slots;
  }

  /** Some minutes, hours and days of the week; without hours it follows real time. */
  private record Expression(
      SortedSet<Integer> minutes, SortedSet<Integer> hours, SortedSet<Integer> weekdays) {
    static Expression random(Random random, boolean isRealTime) {
      return new Expression(
          some(random, 60),
          isRealTime ? new TreeSet<>() : some(random, random.nextBoolean() ? 4 : 24),
          random.nextBoolean() ? some(random, 7) : new TreeSet<>(List.of(0, 1, 2, 3, 4, 5, 6)));
    }

    private static SortedSet<Integer> some(Random random, int bound) {
      SortedSet<Integer> some = new TreeSet<>();
      int size = 1 + random.nextInt(4);
      for (int i = 0; i < size; i++) {
        some.add(random.nextInt(bound));
      }
      return some;
    }

    String text() {
      return list(minutes) + " " + (isRealTime() ? "*" : list(hours)) + " * * " + list(weekdays);
    }

    private boolean isRealTime() {
      return hours.isEmpty();
    }

    private static String list(SortedSet<Integer> values) {
      return values.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private boolean matches(LocalDateTime wall) {
      return minutes.contains(wall.getMinute())
          && (isRealTime() || hours.contains(wall.getHour()))
          && weekdays.contains(wall.getDayOfWeek().getValue() % 7);
    }

    /** Walks through the minutes and remembers the latest time that the wall has shown. */
    List<Instant> search(ZoneId zone, Instant from, Instant to) {
      List<Instant> found = new ArrayList<>();
      LocalDateTime latest = LocalDateTime.ofInstant(from, zone);
      for (Instant at = from.plusSeconds(60); at.isBefore(to); at = at.plusSeconds(60)) {
        LocalDateTime wall = LocalDateTime.ofInstant(at, zone);
        if (isRealTime() ? matches(wall) : anyMatches(latest, wall)) {
          found.add(at);
        }
        latest = wall.isAfter(latest) ? wall : latest;
      }
      return found;
    }

    private boolean anyMatches(LocalDateTime after, LocalDateTime until) {
      LocalDateTime wall = after.plusMinutes(1);
      for (; !wall.isAfter(until); wall = wall.plusMinutes(1)) {
        if (matches(wall)) {
          return true;
        }
      }
      return false;
    }
  }
}
