package io.holdfast.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.memory.MemoryStore;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import io.holdfast.stream.StreamOptions;
import io.holdfast.stream.StreamService;
import io.holdfast.stream.StreamStore;
import io.holdfast.stream.Streams;
import io.holdfast.testkit.ManualTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Raw exchanges with a server over a memory store on a manual clock. */
abstract class StreamWire {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  protected final ManualTime time = new ManualTime();
  protected HoldfastServer server;
  protected Streams streams;

  @BeforeEach
  void start() throws IOException {
    MemoryStore store = new MemoryStore(time);
    Holdfast holdfast = Holdfast.over(store, HoldfastOptions.DEFAULTS);
    streams = StreamService.over(served(store.streams()), StreamOptions.DEFAULTS);
    server =
        HoldfastServer.start(
            new Services(
                holdfast.locks(),
                holdfast.queues(),
                streams,
                holdfast.jobs(),
                () -> {
                  streams.close();
                  holdfast.close();
                }),
            options());
  }

  /** What the server works on: the memory, or something in front of it. */
  protected StreamStore served(StreamStore memory) {
    return memory;
  }

  protected ServerOptions options() {
    return ServerOptions.DEFAULTS.port(0);
  }

  @AfterEach
  void close() {
    server.close();
  }

  /** What came back. */
  protected record Answer(HttpResponse<String> response) {
    int status() {
      return response.statusCode();
    }

    String body() {
      return response.body();
    }

    JsonNode json() {
      try {
        return JSON.readTree(body());
      } catch (IOException e) {
        throw new AssertionError("no JSON: " + body(), e);
      }
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse(null);
    }

    /** Has this status and this document; {@code "*"} stands for any value but null. */
    Answer is(int status, String expected) {
      assertThat(status()).as(body()).isEqualTo(status);
      assertThat(header("Content-Type")).isEqualTo("application/json");
      try {
        match("", JSON.readTree(expected.replace('\'', '"')), json());
      } catch (IOException e) {
        throw new AssertionError("the test expects no JSON", e);
      }
      return this;
    }

    /** Has nothing at all. */
    void isEmpty() {
      assertThat(status()).as(body()).isEqualTo(204);
      assertThat(body()).isEmpty();
      assertThat(header("Content-Type")).isNull();
    }

    private void match(String at, JsonNode expected, JsonNode actual) {
      if (expected.isTextual() && expected.textValue().equals("*")) {
        assertThat(actual.isNull()).as(at + " of " + body()).isFalse();
      } else if (expected.isObject() && actual.isObject()) {
        assertThat(names(actual)).as("fields of " + at + " " + body()).isEqualTo(names(expected));
        names(expected).forEach(n -> match(at + "/" + n, expected.get(n), actual.get(n)));
      } else if (expected.isArray() && actual.isArray()) {
        assertThat(actual.size()).as("size of " + at + " " + body()).isEqualTo(expected.size());
        for (int i = 0; i < expected.size(); i++) {
          match(at + "/" + i, expected.get(i), actual.get(i));
        }
      } else {
        assertThat(actual).as(at + " of " + body()).isEqualTo(expected);
      }
    }

    private static List<String> names(JsonNode object) {
      List<String> names = new ArrayList<>();
      for (Iterator<String> each = object.fieldNames(); each.hasNext(); ) {
        names.add(each.next());
      }
      return names;
    }

    /** A value in the document. */
    String text(String pointer) {
      return json().at(pointer).asText();
    }
  }

  protected Answer get(String path) {
    return send("GET", path, null);
  }

  protected Answer post(String path, String body) {
    return send("POST", path, body);
  }

  protected Answer delete(String path) {
    return send("DELETE", path, null);
  }

  protected Answer send(String method, String path, String body) {
    return sendAsync(method, path, body).join();
  }

  /** Single quotes stand for double ones. */
  protected CompletableFuture<Answer> sendAsync(String method, String path, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.address() + path))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')));
    String token = token();
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return HTTP.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
        .thenApply(Answer::new);
  }

  protected String token() {
    return null;
  }

  /** Pushes one message and answers its result. */
  protected Answer push(String queue, String partition, String payload, String transactionId) {
    return post(
        "/api/v1/push",
        "{'items':[{'queue':'%s','partition':'%s','payload':%s,'transactionId':'%s'}]}"
            .formatted(queue, partition, payload, transactionId));
  }

  /** Takes messages of a queue. */
  protected Answer pop(String queue, String query) {
    return get("/api/v1/pop/queue/" + queue + "?" + query);
  }
}
