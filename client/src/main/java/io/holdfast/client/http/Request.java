package io.holdfast.client.http;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of the server.
 *
 * @param path with its query, encoded
 * @param body null for none
 * @param longest how long the server may wait before it answers
 * @param isRepeatable whether asking twice does no more than asking once
 * @param headers further headers
 */
public record Request(
    String method,
    String path,
    byte @Nullable [] body,
    Duration longest,
    boolean isRepeatable,
    Map<String, String> headers) {
  /** A change: sent once. */
  public static Request post(String path, byte[] body) {
    return new Request("POST", path, body, Duration.ZERO, false, Map.of());
  }

  /** A look: repeated when it fails. */
  public static Request get(String path) {
    return new Request("GET", path, null, Duration.ZERO, true, Map.of());
  }

  /** The same, to be repeated when the answer is lost or the server asks for it. */
  public Request repeatable() {
    return new Request(method, path, body, longest, true, headers);
  }

  /** The same, for a server that may take so long. */
  public Request waiting(Duration most) {
    return new Request(method, path, body, most, isRepeatable, headers);
  }

  /** The same with one more header. */
  public Request with(String header, String value) {
    Map<String, String> more = new TreeMap<>(headers);
    more.put(header, value);
    return new Request(method, path, body, longest, isRepeatable, Map.copyOf(more));
  }

  /** A name as a segment of a path or a value of a query. */
  public static String encoded(String text) {
    StringBuilder encoded = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      boolean isPlain = b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z';
      if (isPlain || b == '-' || b == '_' || b == '~') {
        encoded.append((char) b);
      } else {
        encoded.append('%').append(String.format("%02X", b & 0xff));
      }
    }
    return encoded.toString();
  }
}
