package io.holdfast.server;

import io.holdfast.server.dashboard.DashboardApi;
import io.holdfast.server.http.Api;
import io.holdfast.server.http.Entrance;
import io.holdfast.server.http.HeldTimes;
import io.holdfast.server.http.Kernel;
import io.holdfast.server.http.PlainDialect;
import io.holdfast.server.http.Route;
import io.holdfast.server.http.Routes;
import io.holdfast.server.http.TokenFile;
import io.holdfast.server.job.JobsApi;
import io.holdfast.server.lock.LocksApi;
import io.holdfast.server.queue.QueueApi;
import io.holdfast.server.stream.StreamApi;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server. It owns the services that it was given: closing it closes them.
 *
 * <p>Closing goes step by step: new calls are refused and {@code /ready} says so; whoever waits is
 * answered; running calls are finished, within a time limit; then connections and services close.
 */
public final class HoldfastServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HoldfastServer.class);
  private static final long LOOK_EVERY_MS = 20;

  private final Services services;
  private final ServerOptions options;
  private final PrometheusMeterRegistry meters;
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final Routes routes = new Routes();
  private final Vertx vertx;
  private final Kernel kernel;
  private final Listener listener;
  private final DashboardApi dashboard;
  private boolean isClosed;

  private HoldfastServer(Services services, ServerOptions options, @Nullable TokenFile tokens) {
    this.services = services;
    this.options = options;
    this.meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    this.vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    this.kernel =
        new Kernel(
            vertx,
            routes,
            new Entrance(tokens, names(options.host()), options.corsOrigin(), options.limits()),
            meters);
    this.listener = new Listener(vertx, kernel, options);
    this.dashboard = new DashboardApi(services, options.diagnosis(), options.version(), meters);
  }

  /**
   * Starts to serve. The database may be away: calls fail until it is back.
   *
   * @throws IllegalArgumentException if the options are unsafe or make no sense
   * @throws IOException if a file cannot be read, or the address not be bound
   */
  public static HoldfastServer start(Services services, ServerOptions options) throws IOException {
    Path file = options.tokens();
    if (file == null && !options.insecure() && !isLoopback(options.host())) {
      throw new IllegalArgumentException(
          "without tokens the server stays on the loopback interface: give --tokens FILE, or"
              + " --insecure to let everybody who can reach "
              + options.host()
              + " do everything");
    }
    HoldfastServer server =
        new HoldfastServer(services, options, file == null ? null : new TokenFile(file));
    try {
      server.open();
      return server;
    } catch (IOException | RuntimeException e) {
      server.stop();
      throw e;
    }
  }

  private void open() throws IOException {
    for (Api api : apis()) {
      api.mount(routes);
    }
    routes.fallback("/", PlainDialect.INSTANCE);
    new JvmMemoryMetrics().bindTo(meters);
    new JvmThreadMetrics().bindTo(meters);
    new ProcessorMetrics().bindTo(meters);
    collections.bindTo(meters);
    listener.open();
    services.queues().start();
    services.streams().start();
    services.jobs().start();
  }

  private List<Api> apis() {
    HeldTimes held = new HeldTimes(meters);
    return List.of(
        new HealthApi(services, options.version(), kernel::isDraining),
        new MetricsApi(meters, services.telemetry(), dashboard::refresh),
        new OpenApi(options.version()),
        dashboard,
        new LocksApi(services.locks(), held),
        new QueueApi(services.queues(), held),
        new StreamApi(services.streams(), options.implicitAck(), held),
        new JobsApi(services.jobs(), held));
  }

  /** Everything it serves. */
  List<Route> routes() {
    return routes.all();
  }

  /** How many calls it serves now. */
  int calls() {
    return kernel.calls();
  }

  /** Where it is reached. */
  public URI address() {
    return listener.address();
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static Set<String> names(String host) {
    Set<String> names = new HashSet<>(Set.of("localhost", host.toLowerCase(Locale.ROOT)));
    try {
      names.add(InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT));
    } catch (UnknownHostException e) {
      LOG.debug("this machine has no name of its own", e);
    }
    return names;
  }

  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    kernel.drain();
    dashboard.close();
    services.stop();
    awaitCalls();
    stop();
    services.close();
  }

  private void awaitCalls() {
    long until = System.nanoTime() + options.shutdownTimeout().toNanos();
    try {
      while (calls() > 0 && System.nanoTime() - until < 0) {
        TimeUnit.MILLISECONDS.sleep(LOOK_EVERY_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (calls() > 0) {
      LOG.warn("{} calls did not end in time", calls());
    }
  }

  private void stop() {
    listener.close();
    kernel.close();
    collections.close();
    meters.close();
  }
}
