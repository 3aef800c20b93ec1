package io.holdfast.testkit.net;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Counts what PostgreSQL clients send: {@code TcpProxy.to(host, port, wire::connection)}.
 *
 * <p>A round trip is a message that the server answers with ReadyForQuery: a Sync of the extended
 * protocol or a simple Query. Logging in is none, nor is a cancel request. Each one counts, even if
 * the client sends the next without waiting, as pgjdbc does with the BEGIN before a transaction's
 * first statement. Counted just before it is forwarded, so that a client with its answer in hand
 * finds it counted. Thread-safe.
 */
public final class PgWire {
  private final List<String> statements = new ArrayList<>();
  private long roundTrips;
  private boolean unreadable;

  /** Listens to one more connection; the bytes must come in order, in any portions. */
  public Consumer<byte[]> connection() {
    return new FrontendReader(this)::read;
  }

  /**
   * How many round trips were sent since the start or the last reset, over all connections.
   *
   * @throws IllegalStateException if a connection could not be read
   */
  public synchronized long roundTrips() {
    checkReadable();
    return roundTrips;
  }

  /**
   * The SQL of every simple Query and every Parse since the start or the last reset, in order. A
   * statement that is prepared already is sent by its name and not listed again.
   *
   * @throws IllegalStateException if a connection could not be read
   */
  public synchronized List<String> statements() {
    checkReadable();
    return List.copyOf(statements);
  }

  /** Forgets what was counted. */
  public synchronized void reset() {
    roundTrips = 0;
    statements.clear();
  }

  synchronized void roundTrip() {
    roundTrips++;
  }

  synchronized void statement(String sql) {
    statements.add(sql);
  }

  synchronized void unreadable() {
    unreadable = true;
  }

  /** Whether the server's messages contain ReadyForQuery; a last, unfinished one does not count. */
  static boolean isAnswered(byte[] fromServer) {
    ByteBuffer messages = ByteBuffer.wrap(fromServer);
    while (messages.remaining() > Integer.BYTES) {
      byte type = messages.get();
      int rest = messages.getInt() - Integer.BYTES;
      if (rest < 0 || rest > messages.remaining()) {
        return false;
      }
      if (type == 'Z') {
        return true;
      }
      messages.position(messages.position() + rest);
    }
    return false;
  }

  private void checkReadable() {
    if (unreadable) {
      throw new IllegalStateException(
          "a connection was not plain PostgreSQL: encrypted? (sslmode=disable, gssEncMode=disable)");
    }
  }
}
