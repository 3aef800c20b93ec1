package io.holdfast.server.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What goes back to a client.
 *
 * @param status of HTTP
 * @param type the content type; null without a body
 * @param body the content; not copied
 * @param headers further headers
 * @param stream what goes on sending after the headers; null for an answer that is complete
 * @param undelivered what takes the effect back when the client is gone
 */
public record Answer(
    int status,
    @Nullable String type,
    byte[] body,
    Map<String, String> headers,
    @Nullable Stream stream,
    @Nullable Undo undelivered) {
  /** The usual content type. */
  public static final String JSON = "application/json";

  private static final byte[] NOTHING = {};

  /** Takes an effect back that the client did not hear of. */
  @FunctionalInterface
  public interface Undo {
    /**
     * Called on a worker thread; may block.
     *
     * @param mayBeKnown whether the client may have read some of the answer before it was gone
     */
    void undo(boolean mayBeKnown);
  }

  /** Sends for as long as the client listens. */
  @FunctionalInterface
  public interface Stream {
    /** Begins to send; called on the event loop of the connection. */
    void begin(Outlet outlet);
  }

  /** A body of JSON. */
  public static Answer json(int status, byte[] body) {
    return of(status, JSON, body);
  }

  /** A body of this type. */
  public static Answer of(int status, String type, byte[] body) {
    return new Answer(status, type, body, Map.of(), null, null);
  }

  /** A body of text. */
  public static Answer text(int status, String type, String body) {
    return of(status, type, body.getBytes(StandardCharsets.UTF_8));
  }

  /** No body. */
  public static Answer empty(int status) {
    return new Answer(status, null, NOTHING, Map.of(), null, null);
  }

  /** An answer that goes on until the client leaves. */
  public static Answer streaming(String type, Stream stream) {
    return new Answer(200, type, NOTHING, Map.of(), stream, null);
  }

  /** The same with one more header. */
  public Answer with(String header, String value) {
    Map<String, String> more = new TreeMap<>(headers);
    more.put(header, value);
    return new Answer(status, type, body, Map.copyOf(more), stream, undelivered);
  }

  /** The same; {@code undo} is called if it cannot be delivered, on a worker thread. */
  public Answer orElse(Runnable undo) {
    return orUndo(mayBeKnown -> undo.run());
  }

  /** The same for what is taken back in another way when the client may know of it. */
  public Answer orUndo(Undo undo) {
    return new Answer(status, type, body, headers, stream, undo);
  }
}
