package io.holdfast.server.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.holdfast.client.http.WireModule;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the wires of locks and jobs. Nothing is guessed: a field that nobody knows, a
 * number in quotes or a fraction where a whole number belongs is the caller's mistake, and is told
 * by the field's name, never with its content.
 */
public final class WireJson {
  private static final ObjectMapper STRICT = strict();
  private static final byte[] NOTHING = {'{', '}'};

  private WireJson() {}

  private static ObjectMapper strict() {
    return JsonMapper.builder(Json.MAPPER.getFactory().copy())
        .addModule(new WireModule())
        .defaultPropertyInclusion(
            JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .withCoercionConfigDefaults(config -> config.setAcceptBlankAsEmpty(false))
        .withCoercionConfig(
            LogicalType.Textual,
            config ->
                config
                    .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
        .build();
  }

  /** The body of a call; no body is an object without fields. */
  public static <T> T read(Exchange exchange, Class<T> type) {
    byte[] body = exchange.body().length == 0 ? NOTHING : exchange.body();
    try {
      T read = STRICT.readValue(body, type);
      if (read == null) {
        throw Refusal.malformed("the body must be an object");
      }
      return read;
    } catch (JsonMappingException e) {
      throw Refusal.malformed(told(e));
    } catch (IOException e) {
      throw Refusal.malformed("the body is not valid JSON");
    }
  }

  private static String told(JsonMappingException e) {
    String field = path(e);
    if (e instanceof UnrecognizedPropertyException) {
      return "unknown field '" + field + "'";
    }
    if (e instanceof MismatchedInputException mismatch) {
      String wanted = wanted(mismatch.getTargetType());
      return field.isEmpty() ? "the body must be " + wanted : "'" + field + "' must be " + wanted;
    }
    return field.isEmpty() ? "the body is not valid JSON" : "'" + field + "' is not valid";
  }

  private static String path(JsonMappingException e) {
    StringBuilder path = new StringBuilder();
    for (JsonMappingException.Reference step : e.getPath()) {
      if (step.getFieldName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
      }
    }
    return path.toString();
  }

  private static String wanted(@Nullable Class<?> type) {
    if (type == null) {
      return "something else";
    }
    if (type == String.class) {
      return "text";
    }
    if (type == Boolean.class || type == boolean.class) {
      return "true or false";
    }
    if (type == Instant.class) {
      return "an instant such as 2026-01-31T12:00:00Z";
    }
    if (type == Long.class || type == Integer.class || type == long.class || type == int.class) {
      return "a whole number within its range";
    }
    if (Number.class.isAssignableFrom(type)) {
      return "a number";
    }
    return List.class.isAssignableFrom(type) ? "a list" : "an object";
  }

  /** An answer of JSON; what is null is left out. */
  public static Answer answer(Object value) {
    return answer(200, value);
  }

  /** The same with another status. */
  public static Answer answer(int status, Object value) {
    try {
      return Answer.json(status, STRICT.writeValueAsBytes(value));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an answer that is no JSON", e);
    }
  }

  /** Whether these bytes are one value of JSON, so that they can be part of an answer. */
  public static boolean isJson(byte[] bytes) {
    try {
      return bytes.length > 0 && !STRICT.readTree(bytes).isMissingNode();
    } catch (IOException e) {
      return false;
    }
  }
}
