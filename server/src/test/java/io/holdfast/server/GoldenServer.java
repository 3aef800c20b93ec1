package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Store;
import io.holdfast.memory.MemoryStore;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Tokens;
import io.holdfast.testkit.ManualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A server over a fresh store on a manual clock, and exact words with it. */
public final class GoldenServer implements AutoCloseable {
  public final ManualTime time;
  public final Holdfast holdfast;
  private final HoldfastServer server;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** What came back. */
  public record Said(int status, String body, HttpResponse<String> response) {
    /** Checks both. */
    public Said is(int wantedStatus, String wantedBody) {
      assertThat(body).isEqualTo(wantedBody);
      assertThat(status).isEqualTo(wantedStatus);
      return this;
    }

    /** Checks the status and the code of an error, in both of its places, and part of its text. */
    public Said refuses(int wantedStatus, String code, String part) {
      assertThat(body).contains("\"code\":\"" + code + "\",\"details\":{\"code\":\"" + code + "\"");
      assertThat(body).startsWith("{\"error\":\"").contains(part);
      assertThat(status).isEqualTo(wantedStatus);
      return this;
    }
  }

  public GoldenServer() {
    this(new ManualTime(), null, null);
  }

  /** Over this store, which has this clock. */
  public static GoldenServer over(ManualTime time, Store store) {
    return new GoldenServer(time, store, null);
  }

  private GoldenServer(ManualTime time, @Nullable Store store, @Nullable Path tokens) {
    this.time = time;
    this.holdfast = Holdfast.over(store == null ? new MemoryStore(time) : store);
    try {
      server =
          HoldfastServer.start(
              Services.of(holdfast), ServerOptions.DEFAULTS.port(0).tokens(tokens));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * One with tokens: {@code reader}, {@code producer}, {@code worker}, {@code admin}, and {@code
   * a-admin} and {@code a-worker} for names that begin with {@code a/}.
   */
  public static GoldenServer withTokens() {
    try {
      Path file = Files.createTempFile("tokens", ".txt");
      Files.write(
          file,
          List.of(
              Tokens.line("r", Set.of(Role.READ), List.of(), "reader"),
              Tokens.line("p", Set.of(Role.PRODUCE), List.of(), "producer"),
              Tokens.line("w", Set.of(Role.WORK), List.of(), "worker"),
              Tokens.line("a", Set.of(Role.ADMIN), List.of(), "admin"),
              Tokens.line("aa", Set.of(Role.ADMIN), List.of("a/"), "a-admin"),
              Tokens.line("aw", Set.of(Role.WORK), List.of("a/"), "a-worker")));
      return new GoldenServer(new ManualTime(), null, file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public URI address() {
    return server.address();
  }

  /** Posts this to a verb such as {@code locks.acquire}. */
  public Said post(String verb, String body) {
    return post(verb, body, null);
  }

  public Said post(String verb, String body, @Nullable String token) {
    return said(begin(verb, body, token));
  }

  /** The same without waiting for the answer. */
  public CompletableFuture<HttpResponse<String>> begin(
      String verb, String body, @Nullable String token) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.address() + "/v1/" + verb))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  public static Said said(CompletableFuture<HttpResponse<String>> answer) {
    try {
      HttpResponse<String> response = answer.get(20, TimeUnit.SECONDS);
      return new Said(response.statusCode(), response.body(), response);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("no answer", e);
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
