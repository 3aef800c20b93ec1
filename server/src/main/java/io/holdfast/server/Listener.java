package io.holdfast.server;

import io.holdfast.server.http.Kernel;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open port, served by a few event loops. A changed certificate is used without a restart. */
final class Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
  private static final int LOOPS =
      Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors()));

  /** What Vert.x calls any free port that servers share. */
  private static final int ANY_PORT = -1;

  private static final long LOOK_EVERY_MS = 2_000;
  private static final long PATIENCE_SECONDS = 20;

  private final Vertx vertx;
  private final Kernel kernel;
  private final ServerOptions options;
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
  private volatile int port;
  private @Nullable FileTime certificateFrom;
  private @Nullable FileTime refusedFrom;
  private volatile @Nullable PemKeyCertOptions pair;

  Listener(Vertx vertx, Kernel kernel, ServerOptions options) {
    this.vertx = vertx;
    this.kernel = kernel;
    this.options = options;
    this.port = options.port();
  }

  /** Each event loop has a server of its own; together they share the port. */
  private final class Loop extends VerticleBase {
    @Override
    public Future<?> start() {
      HttpServer server = vertx.createHttpServer(http());
      kernel.attach(server);
      servers.add(server);
      return server
          .listen(options.port() == 0 ? ANY_PORT : options.port(), options.host())
          .onSuccess(open -> port = open.actualPort());
    }
  }

  private HttpServerOptions http() {
    HttpServerOptions http =
        new HttpServerOptions()
            .setMaxHeaderSize(options.limits().headers())
            .setMaxInitialLineLength(options.limits().headers())
            .setHttp2ClearTextEnabled(false)
            .setUseAlpn(false)
            .setHandle100ContinueAutomatically(true)
            .setTcpNoDelay(true)
            .setTcpKeepAlive(true);
    if (pair != null) {
      http.setSsl(true).setKeyCertOptions(pair);
    }
    return http;
  }

  private PemKeyCertOptions read() throws IOException {
    return KeyAndCertificate.read(
        vertx,
        Path.of(String.valueOf(options.tlsCertificate())),
        Path.of(String.valueOf(options.tlsKey())));
  }

  void open() throws IOException {
    if (options.tlsCertificate() != null) {
      certificateFrom = changedAt();
      pair = read();
    }
    await(vertx.deployVerticle(Loop::new, new DeploymentOptions().setInstances(LOOPS)));
    if (certificateFrom != null) {
      vertx.setPeriodic(LOOK_EVERY_MS, id -> vertx.executeBlocking(this::reload, false));
    }
  }

  private void await(Future<?> future) throws IOException {
    try {
      future.toCompletionStage().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
      throw new IOException(
          "cannot listen on " + options.host() + ":" + port + ": " + cause.getMessage(), cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while starting", e);
    }
  }

  private FileTime changedAt() throws IOException {
    FileTime certificate =
        Files.getLastModifiedTime(Path.of(String.valueOf(options.tlsCertificate())));
    FileTime key = Files.getLastModifiedTime(Path.of(String.valueOf(options.tlsKey())));
    return certificate.compareTo(key) > 0 ? certificate : key;
  }

  private boolean reload() throws IOException {
    FileTime now = changedAt();
    if (now.equals(certificateFrom)) {
      return false;
    }
    PemKeyCertOptions changed;
    try {
      changed = read();
    } catch (IOException e) {
      refuse(now, e);
      return false;
    }
    certificateFrom = now;
    for (HttpServer server : servers) {
      server
          .updateSSLOptions(
              new io.vertx.core.net.ServerSSLOptions().setKeyCertOptions(changed), true)
          .onFailure(failure -> LOG.warn("the changed certificate is not used", failure));
    }
    LOG.info("read the certificate again");
    return true;
  }

  /** The next look tries again, but says nothing new about the same files. */
  private void refuse(FileTime changed, IOException why) {
    if (!changed.equals(refusedFrom)) {
      refusedFrom = changed;
      LOG.warn("the changed certificate is not used yet: {}", why.getMessage());
    }
  }

  URI address() {
    String scheme = options.tlsCertificate() == null ? "http" : "https";
    String host = options.host().equals("0.0.0.0") ? "localhost" : options.host();
    return URI.create(scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
  }

  void close() {
    try {
      vertx
          .close()
          .toCompletionStage()
          .toCompletableFuture()
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("the port did not close", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
