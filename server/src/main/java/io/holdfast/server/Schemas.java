package io.holdfast.server;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.server.http.Json;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** What the records of the wires look like in JSON. */
final class Schemas {
  private final Map<String, ObjectNode> known = new TreeMap<>();

  /** All records that were met. */
  ObjectNode all() {
    ObjectNode all = Json.MAPPER.createObjectNode();
    known.forEach(all::set);
    return all;
  }

  /** The schema of a type; a record's stands among {@link #all}. */
  ObjectNode of(Type type) {
    ObjectNode schema = Json.MAPPER.createObjectNode();
    if (type instanceof ParameterizedType generic) {
      return generic(schema, generic);
    }
    if (!(type instanceof Class<?> plain)) {
      return schema;
    }
    if (plain.isRecord()) {
      return schema.put("$ref", "#/components/schemas/" + named(plain));
    }
    if (plain.isEnum()) {
      schema.put("type", "string");
      for (Object constant : plain.getEnumConstants()) {
        schema.withArrayProperty("enum").add(constant.toString());
      }
      return schema;
    }
    if (JsonNode.class.isAssignableFrom(plain) || plain == Object.class) {
      return schema;
    }
    return simple(schema, plain);
  }

  private static ObjectNode simple(ObjectNode schema, Class<?> type) {
    if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
      return schema.put("type", "integer");
    }
    if (type == boolean.class || type == Boolean.class) {
      return schema.put("type", "boolean");
    }
    if (type == double.class || type == Double.class) {
      return schema.put("type", "number");
    }
    if (type == byte[].class) {
      return schema.put("type", "string").put("contentEncoding", "base64");
    }
    schema.put("type", "string");
    if (type == Instant.class) {
      schema.put("format", "date-time");
    } else if (type == UUID.class) {
      schema.put("format", "uuid");
    }
    return schema;
  }

  private ObjectNode generic(ObjectNode schema, ParameterizedType type) {
    Type[] arguments = type.getActualTypeArguments();
    Class<?> raw = (Class<?>) type.getRawType();
    if (Collection.class.isAssignableFrom(raw)) {
      schema.put("type", "array").set("items", of(arguments[0]));
    } else if (Map.class.isAssignableFrom(raw)) {
      schema.put("type", "object").set("additionalProperties", of(arguments[1]));
    }
    return schema;
  }

  private String named(Class<?> type) {
    Class<?> outer = type.getEnclosingClass();
    String name = (outer == null ? "" : outer.getSimpleName()) + type.getSimpleName();
    if (known.containsKey(name)) {
      return name;
    }
    ObjectNode schema = Json.MAPPER.createObjectNode().put("type", "object");
    known.put(name, schema);
    ObjectNode properties = schema.putObject("properties");
    for (RecordComponent component : type.getRecordComponents()) {
      JsonProperty renamed = component.getAccessor().getAnnotation(JsonProperty.class);
      String property =
          renamed == null || renamed.value().isEmpty() ? component.getName() : renamed.value();
      properties.set(property, of(component.getGenericType()));
    }
    return name;
  }
}
