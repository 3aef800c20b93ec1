package io.holdfast.json;

import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.KeyDeserializer;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.time.DateTimeException;
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
import java.util.function.Function;

/**
 * The types of {@code java.time} as the ISO text that they print and parse themselves. Jackson has
 * a module of its own for this, which offers many forms; here one is wanted, and no more jars.
 */
final class TimeModule extends SimpleModule {
  private static final long serialVersionUID = 1L;

  TimeModule() {
    super("holdfast-time");
    add(Instant.class, Instant::parse);
    add(Duration.class, Duration::parse);
    add(Period.class, Period::parse);
    add(LocalDate.class, LocalDate::parse);
    add(LocalTime.class, LocalTime::parse);
    add(LocalDateTime.class, LocalDateTime::parse);
    add(OffsetTime.class, OffsetTime::parse);
    add(OffsetDateTime.class, OffsetDateTime::parse);
    add(ZonedDateTime.class, ZonedDateTime::parse);
    add(Year.class, Year::parse);
    add(YearMonth.class, YearMonth::parse);
    add(MonthDay.class, MonthDay::parse);
  }

  private <T> void add(Class<T> type, Function<String, T> parser) {
    addSerializer(type, ToStringSerializer.instance);
    addDeserializer(type, new Parsed<>(type, parser));
    addKeyDeserializer(type, new ParsedKey<>(type, parser));
  }

  /** A value in a string. */
  private static final class Parsed<T> extends FromStringDeserializer<T> {
    private static final long serialVersionUID = 1L;

    private final transient Function<String, T> parser;

    Parsed(Class<T> type, Function<String, T> parser) {
      super(type);
      this.parser = parser;
    }

    @Override
    protected T _deserialize(String value, DeserializationContext context) throws IOException {
      try {
        return parser.apply(value);
      } catch (DateTimeException e) {
        throw context.weirdStringException(value, handledType(), e.getMessage());
      }
    }
  }

  /** A value in a name of a property. */
  private static final class ParsedKey<T> extends KeyDeserializer {
    private final Class<T> type;
    private final Function<String, T> parser;

    ParsedKey(Class<T> type, Function<String, T> parser) {
      this.type = type;
      this.parser = parser;
    }

    @Override
    public Object deserializeKey(String key, DeserializationContext context) throws IOException {
      try {
        return parser.apply(key);
      } catch (DateTimeException e) {
        throw context.weirdKeyException(type, key, e.getMessage());
      }
    }
  }
}
