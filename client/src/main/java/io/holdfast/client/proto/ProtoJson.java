package io.holdfast.client.proto;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Messages as JSON, the way protobuf maps them: names in snake case, read in camel case too;
 * defaults left out; bytes as base64 in either alphabet; instants as RFC 3339; null for absent. An
 * unknown field is an error.
 */
public final class ProtoJson {
  private static final int LONGEST_TEXT = 100_000_000;
  private static final int MAX_DEPTH = 64;
  private static final int LAST_ASCII = 127;
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(LONGEST_TEXT)
                  .build())
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .build();

  /** Of the years 1 to 9999 in UTC; no other time has a form that every client reads. */
  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999999Z");

  private ProtoJson() {}

  static boolean isInRange(Instant time) {
    return !time.isBefore(EARLIEST) && !time.isAfter(LATEST);
  }

  /** Which fields are written. */
  public enum Audience {
    /** Clients that know no extensions, and refuse what they do not know. */
    STRICT,
    /** Clients that asked for extensions. */
    EXTENDED,
    /** The server, which gets everything as it is and refuses what is not proper. */
    SERVER;

    /** What is written for {@code time}: for clients, the nearest that all of them can read. */
    public Instant time(Instant time) {
      if (this == SERVER || isInRange(time)) {
        return time;
      }
      return time.isBefore(EARLIEST) ? EARLIEST : LATEST;
    }

    /** What is written for {@code text}: half a pair of surrogates has no place in UTF-8. */
    String text(String text) {
      return this == SERVER || isProper(text)
          ? text
          : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static boolean isProper(String text) {
      for (int i = 0; i < text.length(); i++) {
        if (Character.isSurrogate(text.charAt(i))
            && !Character.isSupplementaryCodePoint(text.codePointAt(i++))) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * Reads a message.
   *
   * @throws MalformedMessage if it is none
   */
  public static <T extends Record> T read(MessageType<T> type, byte[] body) {
    try (JsonParser parser = FACTORY.createParser(body)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedMessage("the body is not a JSON object");
      }
      T message = type.make(new JsonReader(parser).fields(type, ""));
      if (parser.nextToken() != null) {
        throw new MalformedMessage("the body goes on after the JSON object");
      }
      return message;
    } catch (IOException e) {
      throw new MalformedMessage("the body is not JSON");
    }
  }

  /** Writes a message. */
  public static byte[] write(Record message, Audience audience) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonWriter writer = new JsonWriter(FACTORY.createGenerator(out), audience)) {
      if (audience == Audience.SERVER) {
        writer.generator().setHighestNonEscapedChar(LAST_ASCII);
      }
      writer.message(message);
    } catch (IOException e) {
      throw new IllegalStateException("a message cannot be written", e);
    }
    return out.toByteArray();
  }
}
