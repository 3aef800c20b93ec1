package io.holdfast.client.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.io.StringWriter;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the wires of locks and jobs add to plain JSON: instants in RFC 3339, written in UTC with six
 * digits, and payloads that stay as they are.
 */
public final class WireModule extends SimpleModule {
  private static final long serialVersionUID = 1L;
  private static final DateTimeFormatter INSTANT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  /** Reads and writes all of it. */
  public WireModule() {
    super("holdfast-wire");
    addSerializer(Instant.class, new InstantOut());
    addDeserializer(Instant.class, new InstantIn());
    addSerializer(RawJson.class, new RawOut());
    addDeserializer(RawJson.class, new RawIn());
  }

  /** For a client: fields that it does not know come from a newer server. */
  public static ObjectMapper mapper() {
    return new ObjectMapper()
        .registerModule(new WireModule())
        .setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
  }

  /** As it goes over the wire, cut to microseconds. */
  public static String text(Instant at) {
    return INSTANT.format(at.truncatedTo(ChronoUnit.MICROS));
  }

  private static final class InstantOut extends StdSerializer<Instant> {
    private static final long serialVersionUID = 1L;

    InstantOut() {
      super(Instant.class);
    }

    @Override
    public void serialize(Instant at, JsonGenerator out, SerializerProvider all)
        throws IOException {
      out.writeString(text(at));
    }
  }

  private static final class InstantIn extends StdDeserializer<Instant> {
    private static final long serialVersionUID = 1L;

    InstantIn() {
      super(Instant.class);
    }

    @Override
    public Instant deserialize(JsonParser in, DeserializationContext all) throws IOException {
      if (!in.hasToken(JsonToken.VALUE_STRING)) {
        return (Instant) all.handleUnexpectedToken(Instant.class, in);
      }
      try {
        return OffsetDateTime.parse(in.getText()).toInstant();
      } catch (DateTimeException e) {
        return (Instant) all.handleWeirdStringValue(Instant.class, "", "not an instant");
      }
    }
  }

  private static final class RawOut extends StdSerializer<RawJson> {
    private static final long serialVersionUID = 1L;

    RawOut() {
      super(RawJson.class);
    }

    @Override
    public void serialize(RawJson json, JsonGenerator out, SerializerProvider all)
        throws IOException {
      out.writeRawValue(json.text());
    }
  }

  private static final class RawIn extends StdDeserializer<RawJson> {
    private static final long serialVersionUID = 1L;

    RawIn() {
      super(RawJson.class);
    }

    @Override
    public RawJson deserialize(JsonParser in, DeserializationContext all) throws IOException {
      StringWriter text = new StringWriter();
      try (JsonGenerator out = in.getCodec().getFactory().createGenerator(text)) {
        copy(in, out);
      }
      return new RawJson(text.toString());
    }

    @Override
    public RawJson getNullValue(DeserializationContext all) {
      return new RawJson("null");
    }

    @Override
    public @Nullable Object getAbsentValue(DeserializationContext all) {
      return null;
    }

    private static void copy(JsonParser in, JsonGenerator out) throws IOException {
      int depth = 0;
      do {
        JsonToken token = in.currentToken();
        if (token.isStructStart()) {
          depth++;
        } else if (token.isStructEnd()) {
          depth--;
        }
        if (token.isNumeric()) {
          out.writeNumber(in.getText()); // never computed with, so nothing of it is lost
        } else {
          out.copyCurrentEvent(in);
        }
      } while (depth > 0 && in.nextToken() != null);
    }
  }
}
