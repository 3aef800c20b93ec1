package io.holdfast.client.stream;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The arguments of an exact call. */
final class Arguments {
  private Arguments() {}

  /** A name, its value, and so on; null is left out. */
  static Map<String, Object> of(@Nullable Object... pairs) {
    Map<String, Object> arguments = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      Object value = pairs[i + 1];
      if (value != null) {
        arguments.put(String.valueOf(pairs[i]), value);
      }
    }
    return arguments;
  }
}
