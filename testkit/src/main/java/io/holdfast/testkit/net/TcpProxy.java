package io.holdfast.testkit.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A network that fails on command: it listens on a loopback port of its own, forwards every
 * connection to a target, and cuts, freezes, delays or refuses when told to.
 *
 * <p>Thread-safe. Its threads are daemons and are gone when {@link #close()} returns.
 */
public final class TcpProxy implements AutoCloseable {
  /** What becomes of the bytes a client has just sent. */
  public enum Fate {
    /** They go to the server. */
    FORWARD,
    /** They never reach the server: the connection is reset instead. */
    CUT,
    /**
     * They go to the server, whose answer never reaches the client: it is dropped up to and
     * including PostgreSQL's ReadyForQuery, which follows the commit, and then the connection is
     * reset. Meant for clients with one request under way at a time.
     */
    SWALLOW_ANSWER
  }

  private static final String LOOPBACK = "127.0.0.1";
  private static final long JOIN_MILLIS = 5_000;

  private final ServerSocket listener;
  private final InetSocketAddress target;
  private final Supplier<Consumer<byte[]>> taps;
  private final Gate gate = new Gate();
  private final Set<Relay> relays = ConcurrentHashMap.newKeySet();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final List<Trap> traps = new CopyOnWriteArrayList<>();
  private volatile Function<byte[], Fate> hook = chunk -> Fate.FORWARD;
  private boolean refusing;
  private boolean closed;

  private TcpProxy(
      ServerSocket listener, InetSocketAddress target, Supplier<Consumer<byte[]>> taps) {
    this.listener = listener;
    this.target = target;
    this.taps = taps;
  }

  /** Opens a proxy to the target, which need not be up yet. */
  public static TcpProxy to(String host, int port) throws IOException {
    return to(host, port, () -> chunk -> {});
  }

  /**
   * Opens a proxy to the target and lets taps listen: each connection asks for one, which then gets
   * that connection's client bytes, in order, just before they are forwarded. See {@link
   * PgWire#connection()}.
   */
  public static TcpProxy to(String host, int port, Supplier<Consumer<byte[]>> taps)
      throws IOException {
    ServerSocket listener = new ServerSocket(0, 0, InetAddress.getByName(LOOPBACK));
    TcpProxy proxy = new TcpProxy(listener, new InetSocketAddress(host, port), taps);
    proxy.start(proxy::accept);
    return proxy;
  }

  /** The address clients connect to, in numbers. */
  public String host() {
    return LOOPBACK;
  }

  /** The port clients connect to; it stays the same until {@link #close()}. */
  public int port() {
    return listener.getLocalPort();
  }

  /** How many connections are open now. */
  public int connections() {
    return relays.size();
  }

  /**
   * Resets every connection accepted so far, on both sides, at once. New ones are still welcome.
   */
  public void cut() {
    relays.forEach(Relay::reset);
  }

  /**
   * While true, a new connection is reset as soon as it is made; those already open live on. The
   * port is kept, so a client sees "connection reset" rather than "connection refused".
   */
  public synchronized void refuse(boolean refuse) {
    refusing = refuse;
  }

  /**
   * Stops forwarding, either way, ends of streams included, while every connection stays open and
   * new ones are accepted. Bytes on their way at this moment may still arrive.
   */
  public void freeze() {
    gate.frozen(true);
  }

  /** Forwards what was held back since {@link #freeze()}, and goes on. */
  public void thaw() {
    gate.frozen(false);
  }

  /** Holds every chunk for this long, either way: a round trip takes at least twice as long. */
  public void delay(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("delay must not be negative");
    }
    gate.delay(delay);
  }

  /**
   * Decides about every chunk a client sends, in place of the previous hook. A chunk is what one
   * read returned: it may hold several messages, or a part of one. Called on the connection's own
   * thread; an exception resets the connection.
   */
  public void onClientMessage(Function<byte[], Fate> decide) {
    hook = decide;
  }

  /**
   * Loses the answer to the next request that contains the text: {@link Fate#SWALLOW_ANSWER}, once.
   * The text is looked for in the bytes sent, so a statement the driver has prepared on the server
   * is not found by its SQL (with pgjdbc set {@code prepareThreshold=0}).
   *
   * @return the lost answer, once the client's connection has been reset; cancelled when the
   *     connection or this proxy ends before the server's answer is complete
   */
  public CompletableFuture<byte[]> swallowNextAnswer(String sqlFragment) {
    return set(new Trap(Fate.SWALLOW_ANSWER, sqlFragment));
  }

  /**
   * Loses the next request that contains the text: {@link Fate#CUT}, once.
   *
   * @return the lost bytes, once the connection has been reset; cancelled when this proxy ends
   */
  public CompletableFuture<byte[]> cutWhenClientSends(String sqlFragment) {
    return set(new Trap(Fate.CUT, sqlFragment));
  }

  /** Resets every connection, frees the port and waits for the threads to end. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    try {
      listener.close();
    } catch (IOException e) {
      // the port is released either way
    }
    cut();
    traps.forEach(trap -> trap.verdict().withheld().cancel(false));
    join();
  }

  Gate gate() {
    return gate;
  }

  /** Takes a trap off the list before it is used: of two clients only one is caught. */
  Relay.Verdict judge(byte[] earlier, byte[] chunk) {
    for (Trap trap : traps) {
      if (trap.matches(earlier, chunk) && traps.remove(trap)) {
        return trap.verdict();
      }
    }
    return new Relay.Verdict(hook.apply(chunk), new CompletableFuture<>());
  }

  void ended(Relay relay) {
    relays.remove(relay);
    gate.wake();
  }

  /** The starter is itself a thread of ours or holds the proxy, so {@link #join()} misses none. */
  void start(Runnable work) {
    threads.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
    Thread thread = new Thread(work, "tcp-proxy-" + port());
    thread.setDaemon(true);
    thread.start();
    threads.add(thread);
  }

  private CompletableFuture<byte[]> set(Trap trap) {
    traps.add(trap);
    return trap.verdict().withheld();
  }

  private void accept() {
    try (listener) {
      while (!listener.isClosed()) {
        admit(listener.accept());
      }
    } catch (IOException e) {
      // closed by close(), or out of descriptors: closed then too, so that clients do not hang
    }
  }

  private void admit(Socket client) {
    Relay relay = new Relay(this, client, taps.get());
    synchronized (this) {
      if (refusing || closed) {
        Relay.abort(client);
        return;
      }
      relays.add(relay);
    }
    start(() -> relay.run(target));
  }

  private void join() {
    try {
      while (!threads.isEmpty()) {
        for (Thread thread : threads) {
          if (thread != Thread.currentThread()) {
            thread.join(JOIN_MILLIS);
          }
          threads.remove(thread);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
