package io.holdfast.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.lock.LockInfo;
import java.io.PrintWriter;
import java.io.UncheckedIOException;

/** Answers as JSON, with the field names of the HTTP API. */
final class Json {
  private Json() {}

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** A lock without its raw values. */
  static ObjectNode lock(LockInfo lock) {
    return object()
        .put("keyHash", lock.keyHash())
        .put("lockIdHash", lock.lockIdHash())
        .put("fence", lock.fence().text())
        .put("acquiredAtMs", lock.acquiredAt().toEpochMilli())
        .put("expiresAtMs", lock.expiresAt().toEpochMilli());
  }

  /** One document on a few lines. */
  static void print(JsonNode answer, PrintWriter out) {
    try {
      out.println(new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(answer));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
