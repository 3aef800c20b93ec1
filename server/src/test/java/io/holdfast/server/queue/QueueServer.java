package io.holdfast.server.queue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.memory.MemoryStore;
import io.holdfast.queue.QueueBackend;
import io.holdfast.queue.QueueOptions;
import io.holdfast.queue.QueueService;
import io.holdfast.queue.Queues;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import io.holdfast.testkit.ManualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** A server over memory on a manual clock, and a client that sends what it is told. */
final class QueueServer implements AutoCloseable {
  static final String JSON = "application/json";
  static final String PROTOBUF = "application/protobuf";
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  final ManualTime time;
  final Holdfast holdfast;
  final Queues queues;
  final HoldfastServer server;

  QueueServer() {
    this(ServerOptions.DEFAULTS, QueueOptions.DEFAULTS);
  }

  QueueServer(ServerOptions options, QueueOptions queues) {
    this.time = new ManualTime();
    this.holdfast =
        Holdfast.over(new MemoryStore(time), HoldfastOptions.DEFAULTS.withQueues(queues));
    this.queues = holdfast.queues();
    this.server = start(options);
  }

  /** With queues over something a test has put before a store. */
  QueueServer(QueueBackend backend, ManualTime time) {
    this.time = time;
    this.holdfast = Holdfast.inMemory();
    this.queues = QueueService.over(backend, QueueOptions.DEFAULTS);
    this.server = start(ServerOptions.DEFAULTS);
  }

  private HoldfastServer start(ServerOptions options) {
    try {
      return HoldfastServer.start(
          new Services(holdfast.locks(), queues, holdfast.streams(), holdfast.jobs(), holdfast),
          options.port(0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What came back. */
  record Heard(int status, String type, byte[] body, HttpResponse<byte[]> all) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /** Posts to {@code /v1/path}; headers are names and values in turn. */
  Heard post(String path, byte[] body, String... headers) throws Exception {
    return send("POST", path, body, headers);
  }

  Heard send(String method, String path, byte[] body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.address() + "/v1/" + path))
            .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpResponse<byte[]> response =
        HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    return new Heard(
        response.statusCode(),
        response.headers().firstValue("Content-Type").orElse(""),
        response.body(),
        response);
  }

  /** Posts JSON the way curl does it. */
  Heard post(String path, String json) throws Exception {
    return post(path, json.getBytes(StandardCharsets.UTF_8), "Content-Type", JSON);
  }

  /** The same, asking for extensions. */
  Heard extended(String path, String json) throws Exception {
    return post(
        path,
        json.getBytes(StandardCharsets.UTF_8),
        "Content-Type",
        JSON,
        "Holdfast-Extensions",
        "1");
  }

  /** What {@code post} will answer. */
  CompletableFuture<Heard> posting(String path, String json) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return post(path, json);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** Waits, in real time, until so many leases wait. */
  void awaitLeases(String queue, int count) {
    while (queues.queue(queue).admin().stats().leaseWaiting() != count) {
      LockSupport.parkNanos(100_000);
    }
  }

  void create(String name) throws Exception {
    Heard made =
        post(
            "queues.create",
            "{\"queue_name\":\"%s\",\"lease_timeout\":\"1m\",\"expire_timeout\":\"24h\",\"requested_partitions\":1}"
                .formatted(name));
    if (made.status() != 200) {
      throw new AssertionError(made.text());
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
