package io.holdfast.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Random;

/** Requests that look like real ones and are not, as a seed has it. */
final class Nonsense {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int DEEPEST = 6;

  private static final List<String> VALUES =
      List.of(
          "null,\"\",\"x\",\"\\u0000\",\"a\\u0000b\",\"\\ud800\",-1,0,1,7,2147483647,2147483648",
          "-2147483649,9007199254740992,9223372036854775807,9223372036854775808,1e308,-1e308",
          "1e400,1.5,0.0001,1e-300,true,false,[],{},[1],[null],{\"a\":1},\"mails\",\"-1s\",\"1s\"",
          "\"99999999h\",\"2026-01-01T00:00:00Z\",\"0001-01-01T00:00:00Z\",\"-0001-01-01T00:00:00Z\"",
          "\"+999999999-12-31T23:59:59Z\",\"NaN\",\"../..\",\"====\",\"AAAA\",\"*/5 * * * *\"",
          "\"000000000000001\",\"00000000-0000-0000-0000-000000000000\",\"\\u202e\",\"e\\u0301\"");

  private static final List<String> BROKEN =
      List.of(
          "",
          "{",
          "null",
          "[]",
          "\"x\"",
          "\u00ff\u00fe",
          "{\"a\":".repeat(100),
          "[".repeat(5_000),
          "{\"queue\":\"\u00c3\u0028\"}",
          "{\"queue\":\"\u00ed\u00a0\u0080\"}",
          "\u0000",
          "{\"a\":1,\"a\":2}",
          "{\"limit\":" + "9".repeat(400) + "}",
          "{\"id\":1e999999999}",
          "\u00ef\u00bb\u00bf{}",
          "{}{}",
          "{\"a\":NaN}");

  private static final List<String> SEGMENTS =
      List.of("mails", "x", "%00", "%ff", "%2e%2e", "a%2Fb", "%ED%A0%80", "-1", "a".repeat(3_000));

  private static final List<String> PARAMETERS =
      List.of("limit", "offset", "queue", "from", "to", "batch", "consumerGroup", "partitions");

  private static final List<String> ARGUMENTS =
      List.of(
          "-1",
          "x",
          "%00",
          "%ff",
          "99999999999999999999",
          "-9223372036854775808",
          "1e400",
          "",
          "0001-01-01T00:00:00Z",
          "%2B999999999-01-01T00:00:00Z");

  private final Random random;
  private final JsonNode values;

  Nonsense(Random random) {
    this.random = random;
    try {
      this.values = JSON.readTree("[" + String.join(",", VALUES) + "]");
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A schema with everything it refers to in its place, down to some depth. */
  static JsonNode resolved(JsonNode description, JsonNode schema) {
    return resolved(description, schema, 0);
  }

  private static JsonNode resolved(JsonNode description, JsonNode schema, int depth) {
    JsonNode meant =
        schema.has("$ref") ? description.at(schema.get("$ref").asText().substring(1)) : schema;
    if (depth > DEEPEST || !meant.isObject()) {
      return JsonNodeFactory.instance.objectNode();
    }
    ObjectNode copy = meant.deepCopy();
    if (meant.has("items")) {
      copy.set("items", resolved(description, meant.get("items"), depth + 1));
    }
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    meant
        .path("properties")
        .properties()
        .forEach(
            field ->
                fields.set(field.getKey(), resolved(description, field.getValue(), depth + 1)));
    copy.set("properties", fields);
    return copy;
  }

  String segment() {
    return one(SEGMENTS);
  }

  String query() {
    return random.nextBoolean() ? "" : "?" + one(PARAMETERS) + "=" + one(ARGUMENTS);
  }

  /** Bytes that are no text, no JSON, or JSON with something wrong in it. */
  byte[] body(JsonNode schema) {
    return random.nextInt(8) == 0
        ? one(BROKEN).getBytes(ISO_8859_1)
        : value("", schema).toString().getBytes(UTF_8);
  }

  private JsonNode value(String name, JsonNode schema) {
    if (name.equalsIgnoreCase("waitMs")
        || name.toLowerCase(java.util.Locale.ROOT).contains("timeout")) {
      return JsonNodeFactory.instance.textNode("1ms"); // nobody is to wait
    }
    String type = schema.path("type").asText();
    boolean isWrong = random.nextInt(type.equals("object") ? 30 : 4) == 0;
    if (isWrong || type.isEmpty()) {
      return values.get(random.nextInt(values.size()));
    }
    return switch (type) {
      case "object" -> object(schema);
      case "array" -> array(name, schema);
      case "integer", "number" -> JsonNodeFactory.instance.numberNode(random.nextInt(3));
      case "boolean" -> JsonNodeFactory.instance.booleanNode(random.nextBoolean());
      default -> JsonNodeFactory.instance.textNode(random.nextBoolean() ? "mails" : "x");
    };
  }

  private ObjectNode object(JsonNode schema) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    schema
        .path("properties")
        .properties()
        .forEach(
            field -> {
              if (random.nextInt(4) > 0) {
                object.set(field.getKey(), value(field.getKey(), field.getValue()));
              }
            });
    return object;
  }

  private ArrayNode array(String name, JsonNode schema) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (int i = random.nextInt(3); i > 0; i--) {
      array.add(value(name, schema.path("items")));
    }
    return array;
  }

  private <T> T one(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
