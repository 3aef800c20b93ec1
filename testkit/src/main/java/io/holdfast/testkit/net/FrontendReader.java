package io.holdfast.testkit.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;

/**
 * Reads one client's side of the PostgreSQL protocol, version 3, from portions of any size.
 *
 * <p>First come packets without a type: perhaps requests for encryption, which this reader expects
 * to be declined, then the startup packet, or a cancel request in its place. From then on every
 * message has a type byte and a length. For one thread at a time.
 */
final class FrontendReader {
  private static final int CANCEL_REQUEST = 80877102;
  private static final int SSL_REQUEST = 80877103;
  private static final int GSS_ENC_REQUEST = 80877104;
  private static final int PROTOCOL_MAJOR = 3;

  /** The server's own limit; an encrypted stream shows as a length beyond it. */
  private static final int MAX_STARTUP_BYTES = 10_000;

  private static final int TYPE_AND_LENGTH = 1 + Integer.BYTES;

  /** Where the stream stands. */
  private enum Phase {
    STARTUP,
    MESSAGES,
    IGNORED
  }

  private final PgWire wire;
  private Phase phase = Phase.STARTUP;
  private ByteBuffer pending = ByteBuffer.allocate(8192);

  FrontendReader(PgWire wire) {
    this.wire = wire;
  }

  void read(byte[] chunk) {
    if (phase == Phase.IGNORED) {
      return;
    }
    append(chunk);
    pending.flip();
    boolean more = true;
    while (more) {
      more =
          switch (phase) {
            case STARTUP -> startup();
            case MESSAGES -> message();
            case IGNORED -> false;
          };
    }
    pending.compact();
  }

  private void append(byte[] chunk) {
    if (pending.remaining() < chunk.length) {
      int needed = pending.position() + chunk.length;
      pending = ByteBuffer.allocate(Math.max(needed, 2 * pending.capacity())).put(pending.flip());
    }
    pending.put(chunk);
  }

  /** Takes one whole packet, or returns false to wait for the rest of it. */
  private boolean startup() {
    if (pending.remaining() < 2 * Integer.BYTES) {
      return false;
    }
    int length = pending.getInt(pending.position());
    if (length < 2 * Integer.BYTES || length > MAX_STARTUP_BYTES) {
      return giveUp();
    }
    if (pending.remaining() < length) {
      return false;
    }
    int code = pending.getInt(pending.position() + Integer.BYTES);
    pending.position(pending.position() + length);
    return begin(code);
  }

  private boolean begin(int code) {
    switch (code) {
      case SSL_REQUEST, GSS_ENC_REQUEST -> {
        return true;
      }
      case CANCEL_REQUEST -> phase = Phase.IGNORED;
      default -> {
        if (code >>> Short.SIZE != PROTOCOL_MAJOR) {
          return giveUp();
        }
        phase = Phase.MESSAGES;
      }
    }
    return true;
  }

  /** Takes one whole message, or returns false to wait for the rest of it. */
  private boolean message() {
    if (pending.remaining() < TYPE_AND_LENGTH) {
      return false;
    }
    int length = pending.getInt(pending.position() + 1);
    if (length < Integer.BYTES) {
      return giveUp();
    }
    if (pending.remaining() - 1 < length) {
      return false;
    }
    byte type = pending.get();
    ByteBuffer body = pending.slice(pending.position() + Integer.BYTES, length - Integer.BYTES);
    pending.position(pending.position() + length);
    report(type, body);
    return true;
  }

  private void report(byte type, ByteBuffer body) {
    switch (type) {
      case 'S' -> wire.roundTrip();
      case 'Q' -> {
        wire.statement(text(body));
        wire.roundTrip();
      }
      case 'P' -> {
        text(body); // the statement's name comes first
        wire.statement(text(body));
      }
      default -> {
        // neither a round trip nor SQL
      }
    }
  }

  /** Takes a text up to its closing zero byte. */
  private static String text(ByteBuffer body) {
    int start = body.position();
    int end = start;
    while (end < body.limit() && body.get(end) != 0) {
      end++;
    }
    body.position(Math.min(end + 1, body.limit()));
    return new String(body.array(), body.arrayOffset() + start, end - start, UTF_8);
  }

  private boolean giveUp() {
    phase = Phase.IGNORED;
    wire.unreadable();
    return false;
  }
}
