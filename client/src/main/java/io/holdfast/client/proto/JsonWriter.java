package io.holdfast.client.proto;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes messages to a generator. */
record JsonWriter(JsonGenerator generator, ProtoJson.Audience audience) implements AutoCloseable {
  void message(Record message) throws IOException {
    generator.writeStartObject();
    for (FieldType field : MessageType.of(message.getClass()).fields()) {
      Object value = field.get(message);
      if (value != null && !field.isOmitted(value) && isFor(field)) {
        generator.writeFieldName(field.name());
        value(field, value);
      }
    }
    generator.writeEndObject();
  }

  private boolean isFor(FieldType field) {
    return audience != ProtoJson.Audience.STRICT || !field.isExtension();
  }

  private void value(FieldType field, Object value) throws IOException {
    if (!field.isRepeated()) {
      single(field, value);
      return;
    }
    generator.writeStartArray();
    for (Object element : (List<?>) value) {
      single(field, element);
    }
    generator.writeEndArray();
  }

  private void single(FieldType field, @Nullable Object value) throws IOException {
    switch (field.kind()) {
      case TEXT -> generator.writeString(audience.text((String) value));
      case INT -> generator.writeNumber((Integer) value);
      case LONG -> generator.writeString(String.valueOf(value));
      case FLAG -> generator.writeBoolean((Boolean) value);
      case BYTES -> generator.writeBinary((byte[]) value);
      case TIME -> generator.writeString(audience.time((Instant) value).toString());
      case TEXTS -> texts((Map<?, ?>) value);
      case MESSAGE -> message((Record) value);
    }
  }

  private void texts(Map<?, ?> texts) throws IOException {
    generator.writeStartObject();
    for (Map.Entry<?, ?> text : texts.entrySet()) {
      generator.writeStringField(
          audience.text(String.valueOf(text.getKey())),
          audience.text(String.valueOf(text.getValue())));
    }
    generator.writeEndObject();
  }

  @Override
  public void close() throws IOException {
    generator.close();
  }
}
