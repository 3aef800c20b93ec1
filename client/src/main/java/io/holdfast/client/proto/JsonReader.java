package io.holdfast.client.proto;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads fields off a parser. */
record JsonReader(JsonParser parser) {
  private static final Pattern NUMBER =
      Pattern.compile("-?[0-9]{1,20}(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?");

  /** Java reads more than the standard has: no seconds, and offsets by the hour or second. */
  private static final Pattern TIME =
      Pattern.compile(
          "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?"
              + "(Z|[+-][0-9]{2}:[0-9]{2})",
          Pattern.CASE_INSENSITIVE);

  private static final int SHOWN = 64;

  /** The values of a message whose brace was just opened. */
  @Nullable Object[] fields(MessageType<?> type, String where) throws IOException {
    List<FieldType> fields = type.fields();
    @Nullable Object[] values = new @Nullable Object[fields.size()];
    boolean[] isRead = new boolean[values.length];
    fields.forEach(f -> values[f.index()] = f.isOptional() ? null : f.absent());
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      FieldType field = type.named(name);
      if (field == null) {
        throw new MalformedMessage("unknown field '" + where + shown(name) + "'");
      }
      String path = where + field.name();
      if (isRead[field.index()]) {
        throw new MalformedMessage("field '" + path + "' is there twice");
      }
      isRead[field.index()] = true;
      if (parser.nextToken() != JsonToken.VALUE_NULL) {
        values[field.index()] = value(field, path);
      }
    }
    return values;
  }

  private static String shown(String name) {
    return name.length() <= SHOWN ? name : name.substring(0, SHOWN) + "...";
  }

  private Object value(FieldType field, String path) throws IOException {
    if (!field.isRepeated()) {
      return single(field, path);
    }
    require(parser.currentToken() == JsonToken.START_ARRAY, path, "a list");
    List<Object> values = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      values.add(single(field, path + "[" + values.size() + "]"));
    }
    return List.copyOf(values);
  }

  private Object single(FieldType field, String path) throws IOException {
    return switch (field.kind()) {
      case TEXT -> text(path, "a text");
      case INT -> (int) number(path, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case LONG -> number(path, Long.MIN_VALUE, Long.MAX_VALUE);
      case FLAG -> {
        require(parser.currentToken().isBoolean(), path, "true or false");
        yield parser.getBooleanValue();
      }
      case BYTES -> bytes(path);
      case TIME -> time(path);
      case TEXTS -> texts(path);
      case MESSAGE -> {
        require(parser.currentToken() == JsonToken.START_OBJECT, path, "an object");
        yield field.type().make(fields(field.type(), path + "."));
      }
    };
  }

  private String text(String path, String what) throws IOException {
    require(parser.currentToken() == JsonToken.VALUE_STRING, path, what);
    return parser.getText();
  }

  private long number(String path, long least, long most) throws IOException {
    JsonToken token = parser.currentToken();
    require(token.isNumeric() || token == JsonToken.VALUE_STRING, path, "a number");
    String text = parser.getText();
    require(NUMBER.matcher(text).matches(), path, "a whole number");
    try {
      long value = Long.parseLong(text);
      require(value >= least && value <= most, path, "a number in range");
      return value;
    } catch (NumberFormatException e) {
      double value = Double.parseDouble(text);
      require(value == Math.rint(value), path, "a whole number");
      require(value >= least && value <= most, path, "a number in range");
      return (long) value;
    }
  }

  private byte[] bytes(String path) throws IOException {
    String text = text(path, "bytes in base64").replace('-', '+').replace('_', '/');
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == '=') {
      end--;
    }
    try {
      return Base64.getDecoder().decode(text.substring(0, end));
    } catch (IllegalArgumentException e) {
      throw new MalformedMessage("field '" + path + "' is not bytes in base64");
    }
  }

  private Instant time(String path) throws IOException {
    String text = text(path, "a time as in RFC 3339");
    require(TIME.matcher(text).matches(), path, "a time as in RFC 3339");
    try {
      Instant time = OffsetDateTime.parse(text).toInstant();
      require(ProtoJson.isInRange(time), path, "a time of the years 1 to 9999");
      return time;
    } catch (DateTimeException e) {
      throw new MalformedMessage("field '" + path + "' is not a time as in RFC 3339");
    }
  }

  private Map<String, String> texts(String path) throws IOException {
    require(parser.currentToken() == JsonToken.START_OBJECT, path, "an object");
    Map<String, String> texts = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = Objects.requireNonNull(parser.currentName());
      parser.nextToken();
      texts.put(name, text(path, "texts"));
    }
    return texts;
  }

  private static void require(boolean holds, String path, String what) {
    if (!holds) {
      throw new MalformedMessage("field '" + path + "' is not " + what);
    }
  }
}
