package io.holdfast.benchmarks;

import io.holdfast.testkit.net.PgWire;
import io.holdfast.testkit.net.TcpProxy;
import java.io.IOException;
import java.time.Duration;

/** The same server behind a proxy: some time away if wanted, with its round trips counted. */
final class FarServer implements AutoCloseable {
  private final BenchDatabase database;
  private final PgWire wire = new PgWire();
  private final TcpProxy proxy;

  FarServer(BenchDatabase database, Duration roundTrip) throws IOException {
    this.database = database;
    this.proxy = TcpProxy.to(database.host(), database.port(), wire::connection);
    proxy.delay(roundTrip.dividedBy(2));
  }

  /** The database as it is reached through the proxy. */
  Place place(int poolSize) {
    String url = database.urlAt(proxy.host(), proxy.port());
    String plain = url + (url.contains("?") ? "&" : "?") + "sslmode=disable&gssEncMode=disable";
    return new Place(plain, poolSize);
  }

  /** How many round trips there were so far. */
  long roundTrips() {
    return wire.roundTrips();
  }

  @Override
  public void close() {
    proxy.close();
  }
}
