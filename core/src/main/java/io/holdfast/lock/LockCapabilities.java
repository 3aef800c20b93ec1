package io.holdfast.lock;

/** What a store offers. Every one fences, and every one decides by its own clock. */
public record LockCapabilities(String backend, boolean supportsFencing, String timeAuthority) {
  /** The capabilities of a store named {@code backend}. */
  public static LockCapabilities of(String backend) {
    return new LockCapabilities(backend, true, "server");
  }
}
