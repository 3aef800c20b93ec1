package io.holdfast.client.stream;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.holdfast.stream.Payload;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamSettings;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How values of the streams' interface stand in documents, with nothing left out. */
final class ExactTypes {
  private static final String UNREADABLE = "unreadable";

  private ExactTypes() {}

  static void addTo(SimpleModule module) {
    add(module, Instant.class, Instant::toString, Instant::parse);
    add(module, Duration.class, Duration::toString, Duration::parse);
    module.addSerializer(Payload.class, new PayloadWriter());
    module.addDeserializer(Payload.class, new PayloadReader());
    module.addSerializer(StreamSettings.class, new SettingsWriter());
    module.addDeserializer(StreamSettings.class, new SettingsReader());
  }

  private static <T> void add(
      SimpleModule module, Class<T> type, Function<T, String> text, Function<String, T> parse) {
    module.addSerializer(
        type,
        new JsonSerializer<>() {
          @Override
          public void serialize(T value, JsonGenerator out, SerializerProvider provider)
              throws IOException {
            out.writeString(text.apply(value));
          }
        });
    module.addDeserializer(
        type,
        new JsonDeserializer<>() {
          @Override
          public T deserialize(JsonParser in, DeserializationContext context) throws IOException {
            try {
              return parse.apply(in.getText());
            } catch (DateTimeException e) {
              return context.reportInputMismatch(type, "not one");
            }
          }
        });
  }

  /** The options by their names. */
  static Map<String, @Nullable Object> named(StreamSettings settings) {
    Map<String, @Nullable Object> named = new LinkedHashMap<>();
    settings.values().forEach((option, value) -> named.put(option.text(), value));
    return named;
  }

  /** Values of options as documents have them. */
  static Map<StreamOption, @Nullable Object> options(Map<String, @Nullable Object> named) {
    Map<StreamOption, @Nullable Object> values = new EnumMap<>(StreamOption.class);
    for (StreamOption option : StreamOption.values()) {
      Object value = named.get(option.text());
      values.put(option, value instanceof Integer number ? Long.valueOf(number) : value);
    }
    return values;
  }

  private static final class PayloadWriter extends JsonSerializer<Payload> {
    @Override
    public void serialize(Payload payload, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      if (payload.isReadable()) {
        out.writeString(Base64.getEncoder().encodeToString(payload.unwrap()));
        return;
      }
      out.writeStartObject();
      try {
        payload.unwrap();
      } catch (StreamException e) {
        out.writeStringField(UNREADABLE, e.getMessage());
      }
      out.writeEndObject();
    }
  }

  private static final class PayloadReader extends JsonDeserializer<Payload> {
    @Override
    public Payload deserialize(JsonParser in, DeserializationContext context) throws IOException {
      JsonNode node = context.readTree(in);
      if (node.isObject()) {
        return Payload.unreadable(node.path(UNREADABLE).asText());
      }
      try {
        return Payload.wrap(Base64.getDecoder().decode(node.asText()));
      } catch (IllegalArgumentException e) {
        return context.reportInputMismatch(Payload.class, "not in base 64");
      }
    }
  }

  private static final class SettingsWriter extends JsonSerializer<StreamSettings> {
    @Override
    public void serialize(StreamSettings settings, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      provider.defaultSerializeValue(named(settings), out);
    }
  }

  private static final class SettingsReader extends JsonDeserializer<StreamSettings> {
    @Override
    public StreamSettings deserialize(JsonParser in, DeserializationContext context)
        throws IOException {
      JsonNode node = context.readTree(in);
      Map<StreamOption, @Nullable Object> values = new EnumMap<>(StreamOption.class);
      for (StreamOption option : StreamOption.values()) {
        JsonNode value = node.path(option.text());
        if (value.isBoolean()) {
          values.put(option, value.booleanValue());
        } else if (value.isIntegralNumber()) {
          values.put(option, value.longValue());
        } else if (value.isTextual()) {
          values.put(option, value.textValue());
        }
      }
      return StreamSettings.of(values);
    }
  }
}
