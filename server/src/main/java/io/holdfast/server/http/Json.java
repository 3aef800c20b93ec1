package io.holdfast.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;

/** How the server reads and writes JSON: nothing deep, nothing twice, no message with content. */
public final class Json {
  /** Deeper than this is not read. */
  public static final int MAX_DEPTH = 64;

  private static final int LONGEST_TEXT = 100_000_000;

  /** Reads into trees and writes them; a wire configures copies for its records. */
  public static final ObjectMapper MAPPER = new ObjectMapper(factory());

  private Json() {}

  private static JsonFactory factory() {
    return JsonFactory.builder()
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(MAX_DEPTH)
                .maxStringLength(LONGEST_TEXT)
                .build())
        .streamWriteConstraints(StreamWriteConstraints.defaults())
        .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .build();
  }

  /** As JSON; what the server made can always be written. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an answer that is no JSON", e);
    }
  }

  /** The error that most of the server answers with. */
  public static Answer error(int status, String code, String message) {
    return Answer.json(status, bytes(Map.of("error", message, "code", code)));
  }
}
