package io.holdfast.server.http;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the library begin with the name of an argument; this gives it the name that the field
 * has on a wire.
 *
 * @param fields by argument
 */
public record Spelling(Map<String, String> fields) {
  /** The message in the words of the wire. */
  public String of(@Nullable String message) {
    String text = String.valueOf(message);
    int end = text.indexOf(' ');
    String field = end < 0 ? null : fields.get(text.substring(0, end));
    return field == null ? text : field + text.substring(end);
  }
}
