package io.holdfast.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.holdfast.job.JobCodec;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JacksonCodecTest {
  private final JobCodec codec = new JacksonCodec();

  record Line(String article, int count, BigDecimal price) {}

  record Order(String id, List<Line> lines, @Nullable String note, Map<LocalDate, Boolean> days) {}

  @Test
  void a_record_comes_back_as_it_was() {
    Order order =
        new Order(
            "ö\"1\"",
            List.of(new Line("nail", 3, new BigDecimal("0.10"))),
            null,
            Map.of(LocalDate.of(2024, 2, 29), true));

    assertThat(codec.decode(codec.encode(order), Order.class)).isEqualTo(order);
  }

  @Test
  void json_is_compact_and_in_utf_8() {
    assertThat(text(codec.encode(new Line("Nägel 🔨", 3, new BigDecimal("0.10")))))
        .isEqualTo("{\"article\":\"Nägel 🔨\",\"count\":3,\"price\":0.10}");
  }

  @Test
  void null_is_written_as_null() {
    assertThat(text(codec.encode(null))).isEqualTo("null");
    assertThat(codec.decode(codec.encode(null), Order.class)).isNull();
  }

  @Test
  void no_bytes_are_read_as_null() {
    assertThat(codec.decode(new byte[0], Order.class)).isNull();
    assertThat(codec.decode(new byte[0], String.class)).isNull();
    assertThat(codec.decode(new byte[0], Void.class)).isNull();
  }

  @Test
  void bytes_stay_what_they_are() {
    byte[] bytes = {0, -1, '"'};

    byte[] encoded = codec.encode(bytes);
    byte[] decoded = codec.decode(encoded, byte[].class);

    assertThat(encoded).isEqualTo(bytes).isNotSameAs(bytes);
    assertThat(decoded).isEqualTo(bytes).isNotSameAs(encoded);
    assertThat(codec.decode(new byte[0], byte[].class)).isEmpty();
  }

  @Test
  void text_is_a_string_of_json() {
    assertThat(text(codec.encode("a \"b\""))).isEqualTo("\"a \\\"b\\\"\"");
    assertThat(codec.decode(codec.encode("a \"b\""), String.class)).isEqualTo("a \"b\"");
  }

  static List<Object> times() {
    return Arrays.asList(
        Instant.parse("2024-02-29T23:59:59.123456789Z"),
        Duration.ofMillis(90_061_001),
        Period.of(1, 2, 3),
        LocalDate.of(2024, 2, 29),
        LocalTime.of(23, 59, 59, 5),
        LocalDateTime.of(2024, 2, 29, 0, 0),
        OffsetTime.parse("10:15:30+01:00"),
        OffsetDateTime.parse("2024-02-29T10:15:30+01:00"),
        ZonedDateTime.parse("2024-10-27T02:30:00+01:00[Europe/Berlin]"),
        Year.of(2024),
        YearMonth.of(2024, 2),
        MonthDay.of(2, 29));
  }

  @ParameterizedTest
  @MethodSource("times")
  void times_are_iso_text(Object time) {
    byte[] encoded = codec.encode(time);

    assertThat(text(encoded)).isEqualTo("\"" + time + "\"");
    assertThat(codec.decode(encoded, time.getClass())).isEqualTo(time);
  }

  @Test
  void an_old_date_is_iso_text_too() {
    assertThat(text(codec.encode(new Date(0)))).startsWith("\"1970-01-01T00:00:00");
  }

  @Test
  void a_property_of_a_newer_version_is_passed_over() {
    byte[] newer =
        "{\"article\":\"nail\",\"count\":3,\"price\":1,\"colour\":\"red\"}".getBytes(UTF_8);

    assertThat(codec.decode(newer, Line.class)).isEqualTo(new Line("nail", 3, BigDecimal.ONE));
  }

  @Test
  void what_cannot_be_read_is_refused_with_its_type() {
    for (String broken : List.of("{", "[]", "{} {}", "\"x\"", "{\"count\":\"many\"}")) {
      assertThatThrownBy(() -> codec.decode(broken.getBytes(UTF_8), Line.class))
          .as(broken)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(Line.class.getName())
          .hasCauseInstanceOf(java.io.IOException.class);
    }
    assertThatThrownBy(() -> codec.decode("\"noon\"".getBytes(UTF_8), Instant.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.time.Instant");
    assertThatThrownBy(() -> codec.decode("{\"days\":{\"x\":true}}".getBytes(UTF_8), Order.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Order.class.getName());
  }

  @Test
  void what_cannot_be_written_is_refused_with_its_type() {
    Object[] itself = new Object[1];
    itself[0] = itself;

    assertThatThrownBy(() -> codec.encode(new Object()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.Object");
    assertThatThrownBy(() -> codec.encode(itself))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[Ljava.lang.Object;");
  }

  @Test
  void a_mapper_of_ones_own_decides_and_later_changes_to_it_do_not() {
    JsonMapper mapper =
        JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE).build();
    JobCodec own = JacksonCodec.over(mapper);

    mapper.setDefaultPropertyInclusion(JsonInclude.Include.NON_DEFAULT);

    assertThat(text(own.encode(new Named(0)))).isEqualTo("{\"first-count\":0}");
  }

  record Named(int firstCount) {}

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}
