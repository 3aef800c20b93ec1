package io.holdfast.server.http;

/** Where a streaming answer goes. Safe for use by many threads. */
public interface Outlet {
  /** Sends this, unless the client is gone. */
  void send(byte[] bytes);

  /** Whether the client does not keep up: what is sent now would pile up. */
  boolean isFull();

  /** Calls {@code action} once, when the client is gone or the server ends. */
  void onClosed(Runnable action);

  /** Ends the answer. */
  void end();
}
