package io.holdfast.server.http;

/** A part of what the server offers. */
public interface Api {
  /** Adds its routes. */
  void mount(Routes routes);
}
