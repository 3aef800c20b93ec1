package io.holdfast.server.http;

import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/** An answer that goes on, to a client that may leave at any time. */
final class LiveOutlet implements Outlet {
  private final HttpServerResponse response;
  private final Gone gone;
  private final Context context;

  LiveOutlet(HttpServerResponse response, Gone gone, Context context) {
    this.response = response;
    this.gone = gone;
    this.context = context;
  }

  @Override
  public void send(byte[] bytes) {
    context.runOnContext(
        go -> {
          if (!response.ended() && !response.closed()) {
            response.write(Buffer.buffer(bytes));
          }
        });
  }

  @Override
  public boolean isFull() {
    return response.ended() || response.closed() || response.writeQueueFull();
  }

  @Override
  public void onClosed(Runnable action) {
    gone.watch(action);
  }

  @Override
  public void end() {
    context.runOnContext(
        go -> {
          if (!response.ended() && !response.closed()) {
            response.end();
          }
        });
  }
}
