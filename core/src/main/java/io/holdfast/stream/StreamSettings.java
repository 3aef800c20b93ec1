package io.holdfast.stream;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Every option of a queue as it is in force. Immutable. */
public final class StreamSettings {
  /** Nothing configured. */
  public static final StreamSettings DEFAULTS = new StreamSettings(Map.of());

  private final Map<StreamOption, @Nullable Object> values;

  private StreamSettings(Map<StreamOption, ? extends @Nullable Object> given) {
    Map<StreamOption, @Nullable Object> all = new EnumMap<>(StreamOption.class);
    for (StreamOption option : StreamOption.values()) {
      Object value = given.get(option);
      all.put(option, value == null ? option.byDefault() : value);
    }
    this.values = Collections.unmodifiableMap(all);
  }

  /** These values, and the defaults for those that are absent or null. */
  public static StreamSettings of(Map<StreamOption, ? extends @Nullable Object> values) {
    return new StreamSettings(values);
  }

  /** What {@code config} makes of these: absent is unchanged, null is the default. */
  public StreamSettings changedBy(StreamConfig config) {
    Map<StreamOption, @Nullable Object> next = new EnumMap<>(StreamOption.class);
    if (!config.isReplacing()) {
      next.putAll(values);
    }
    next.putAll(config.options());
    return new StreamSettings(next);
  }

  /** Every option with its value. */
  public Map<StreamOption, @Nullable Object> values() {
    return values;
  }

  /** The number in force. */
  public long number(StreamOption option) {
    Object value = values.get(option);
    return value == null ? 0 : (Long) value;
  }

  /** The number of seconds in force. */
  public Duration seconds(StreamOption option) {
    return Duration.ofSeconds(number(option));
  }

  /** Whether the option is set to something: only the dedup window may have no value. */
  public boolean has(StreamOption option) {
    return values.get(option) != null;
  }

  /** Whether it is on. */
  public boolean is(StreamOption option) {
    return Boolean.TRUE.equals(values.get(option));
  }

  /** Whether it is set to {@code word}. */
  public boolean is(StreamOption option, String word) {
    return word.equals(values.get(option));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StreamSettings settings && values.equals(settings.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
