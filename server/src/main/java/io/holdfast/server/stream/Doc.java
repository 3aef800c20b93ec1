package io.holdfast.server.stream;

import io.holdfast.client.stream.StreamJson;
import io.holdfast.server.http.Answer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes documents. */
final class Doc {
  private Doc() {}

  /** Fields in this order: a name, its value, and so on. */
  static Map<String, Object> of(@Nullable Object... pairs) {
    Map<String, Object> document = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      document.put(String.valueOf(pairs[i]), pairs[i + 1]);
    }
    return document;
  }

  /** The document with more fields behind its own. */
  static Map<String, Object> with(Map<String, Object> document, @Nullable Object... pairs) {
    Map<String, Object> more = new LinkedHashMap<>(document);
    more.putAll(of(pairs));
    return more;
  }

  /** A page of something. */
  static Map<String, Object> page(long limit, long offset) {
    return of("limit", limit, "offset", offset);
  }

  /** So many from a place on. */
  static <T> List<T> cut(List<T> all, long offset, long limit) {
    return all.stream().skip(offset).limit(limit).toList();
  }

  static Answer answer(int status, Object document) {
    return Answer.json(status, StreamJson.write(document));
  }

  static Answer ok(Object document) {
    return answer(200, document);
  }
}
