package io.holdfast.json;

import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.holdfast.job.JobCodec;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Values as compact JSON in UTF-8: null as {@code null}, instants and their like as ISO text, and a
 * {@code byte[]} as the bytes it is. No bytes at all are read as null. Safe for use by many
 * threads.
 *
 * <p>A property that the reading side does not know is passed over: while a new version is rolled
 * out, its jobs are also run by workers of the old one.
 */
public final class JacksonCodec implements JobCodec {
  private final ObjectMapper mapper;

  /** A codec with settings of its own. */
  public JacksonCodec() {
    this(
        JsonMapper.builder()
            .addModule(new TimeModule())
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build());
  }

  private JacksonCodec(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /** A codec with the settings of this mapper, as they are now. */
  public static JacksonCodec over(ObjectMapper mapper) {
    return new JacksonCodec(mapper.copy());
  }

  @Override
  public byte[] encode(@Nullable Object value) {
    if (value instanceof byte[] bytes) {
      return bytes.clone();
    }
    try {
      return mapper.writeValueAsBytes(value);
    } catch (IOException e) {
      String type = value == null ? "null" : value.getClass().getName();
      throw new IllegalArgumentException("cannot write " + type + " as JSON", e);
    }
  }

  @Override
  public <T> @Nullable T decode(byte[] bytes, Class<T> type) {
    if (type == byte[].class) {
      return type.cast(bytes.clone());
    }
    if (bytes.length == 0) {
      return null;
    }
    try {
      return mapper.readValue(bytes, type);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read a " + type.getName() + " from JSON", e);
    }
  }
}
