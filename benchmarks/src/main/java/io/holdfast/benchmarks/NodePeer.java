package io.holdfast.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/** A Node.js process that obeys one order after the other; see {@code orders.js}. */
final class NodePeer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String script;
  private final Process process;
  private final PrintWriter orders;
  private final BufferedReader answers;

  NodePeer(NodePeers peers, String script, Place place) throws IOException {
    this.script = script;
    ProcessBuilder builder = new ProcessBuilder("node", script);
    builder.directory(peers.directory().toFile());
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(Map.of("NODE_ENV", "production", "NO_LOG_SUCCESS", "1"));
    this.process = builder.start();
    this.orders = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    orders.println(JSON.writeValueAsString(Map.of("url", url(place))));
  }

  /** The place's address as everybody but Java writes it. */
  private static String url(Place place) {
    Properties parsed = Driver.parseURL(place.url(), new Properties());
    return "postgres://%s:%s@%s:%s/%s"
        .formatted(
            encoded(PGProperty.USER.getOrDefault(parsed)),
            encoded(PGProperty.PASSWORD.getOrDefault(parsed)),
            PGProperty.PG_HOST.getOrDefault(parsed),
            PGProperty.PG_PORT.getOrDefault(parsed),
            PGProperty.PG_DBNAME.getOrDefault(parsed));
  }

  private static String encoded(@Nullable String text) {
    return URLEncoder.encode(text == null ? "" : text, StandardCharsets.UTF_8);
  }

  /** Gives an order, and waits for its answer. */
  JsonNode order(Object... words) throws IOException {
    orders.println(JSON.writeValueAsString(List.of(words)));
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException(script + " ended too early");
    }
    return JSON.readTree(answer);
  }

  double cpuSeconds() {
    return Processor.seconds(process.toHandle());
  }

  /** It ends when there are no more orders. */
  @Override
  public void close() {
    orders.close();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
