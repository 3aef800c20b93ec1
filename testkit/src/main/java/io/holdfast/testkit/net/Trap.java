package io.holdfast.testkit.net;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.testkit.net.TcpProxy.Fate;
import java.util.concurrent.CompletableFuture;

/** Waits for one client to send a text, and says what then becomes of that request. */
final class Trap {
  /** Longest text: a connection remembers this many of its last bytes. */
  static final int MAX_BYTES = 4096;

  private final Relay.Verdict verdict;
  private final String text;

  Trap(Fate fate, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    if (bytes.length == 0 || bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException("text must have 1 to " + MAX_BYTES + " bytes");
    }
    this.verdict = new Relay.Verdict(fate, new CompletableFuture<>());
    this.text = new String(bytes, ISO_8859_1);
  }

  Relay.Verdict verdict() {
    return verdict;
  }

  /**
   * Whether the text ends within the new bytes; it may begin in the earlier ones. Latin-1 makes
   * bytes and characters one to one, so a text split inside a character is found too.
   */
  boolean matches(byte[] earlier, byte[] chunk) {
    String seen = new String(earlier, ISO_8859_1) + new String(chunk, ISO_8859_1);
    return seen.indexOf(text, Math.max(0, earlier.length - text.length() + 1)) >= 0;
  }
}
