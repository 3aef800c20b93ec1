package io.holdfast.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.postgresql.PGProperty;

/**
 * The Node peer as a process of its own: a command goes out as a line, its answer comes back by its
 * id, so that commands overlap. Closing lets the peer end, killing does not. Safe for use by many
 * threads.
 */
final class NodePeer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PATIENCE_SECONDS = 60;
  private static final Path BASE = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
  private static final Path SOURCE = BASE.resolve("src/test/node");
  private static final Path HOME = BASE.resolve("target/node-peer");

  private final Process process;
  private final Writer input;
  private final Map<Integer, Command> commands = new ConcurrentHashMap<>();
  private final AtomicInteger lastId = new AtomicInteger();

  /** A command under way: its answer, and the signal that it has reached its pause point. */
  record Command(int id, CompletableFuture<JsonNode> answer, CompletableFuture<String> paused) {
    /** The answer, which has to come in time. */
    JsonNode await() {
      return get(answer);
    }

    /** Waits until the command stands at its pause point; one that ends before fails. */
    Command awaitPaused() {
      get(paused);
      return this;
    }

    private static <T> T get(CompletableFuture<T> future) {
      try {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException | TimeoutException e) {
        throw new AssertionError("the peer failed", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while the peer works", e);
      }
    }
  }

  private NodePeer(Process process) {
    this.process = process;
    this.input = process.outputWriter(StandardCharsets.UTF_8);
    Thread reader = new Thread(this::read, "node-peer-" + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** Skips the calling test, visibly, where the peer cannot be had: no node, no npm, no package. */
  static void assumeInstalled() {
    String problem = Installation.PROBLEM;
    Assumptions.assumeTrue(problem.isEmpty(), () -> "no Node peer: " + problem);
  }

  /** Starts a peer on the tables of {@code schema}; options as {@code --tables=locks,fences}. */
  static NodePeer start(String jdbcUrl, String schema, String... options) {
    List<String> command = new ArrayList<>(List.of("node", "peer.mjs", uri(jdbcUrl, schema)));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command).directory(HOME.toFile());
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    try {
      return new NodePeer(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a command, arguments as name and value in turn, and waits for its answer. */
  JsonNode call(String name, Object... arguments) {
    return send(name, arguments).await();
  }

  /** Sends a command and goes on. */
  Command send(String name, Object... arguments) {
    int id = lastId.incrementAndGet();
    ObjectNode line = JSON.createObjectNode().put("id", id).put("cmd", name);
    for (int i = 0; i < arguments.length; i += 2) {
      line.set((String) arguments[i], JSON.valueToTree(arguments[i + 1]));
    }
    Command command = new Command(id, new CompletableFuture<>(), new CompletableFuture<>());
    commands.put(id, command);
    try {
      synchronized (input) {
        input.write(line + "\n");
        input.flush();
      }
    } catch (IOException e) {
      throw new AssertionError("the peer has ended", e);
    }
    return command;
  }

  /** Lets a paused command go on. */
  void resume(Command command) {
    String point = command.awaitPaused().paused().join();
    JsonNode answer = call("resume", "point", point, "target", command.id());
    if (answer.path("resumed").asInt() != 1) {
      throw new AssertionError("nothing was resumed at " + point + ": " + answer);
    }
  }

  /** Ends the process as a crash does. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Closes its input, which ends the peer, and waits. */
  @Override
  public void close() {
    try {
      input.close();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the peer does not end");
      }
    } catch (IOException e) {
      // Ended already, which is what is wanted.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process.destroyForcibly();
    }
  }

  private void read() {
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        accept(JSON.readTree(line));
      }
      fail(new IOException("the peer has ended"));
    } catch (IOException e) {
      fail(e);
    }
  }

  private void accept(JsonNode line) {
    Command command = commands.get(line.path("id").asInt());
    if (command == null) {
      return;
    }
    if (line.has("event")) {
      command.paused().complete(line.path("point").asText());
    } else {
      commands.remove(command.id());
      command.answer().complete(line);
      command.paused().completeExceptionally(new IOException("it did not pause: " + line));
    }
  }

  private void fail(IOException reason) {
    for (Command command : commands.values()) {
      command.answer().completeExceptionally(reason);
      command.paused().completeExceptionally(reason);
    }
  }

  /** The address as Node's driver wants it. */
  private static String uri(String jdbcUrl, String schema) {
    ConnectionString where = ConnectionString.parse(jdbcUrl);
    return "postgres://%s:%s@%s:%s/%s?search_path=%s"
        .formatted(
            encoded(where.setting(PGProperty.USER)),
            encoded(where.setting(PGProperty.PASSWORD)),
            where.setting(PGProperty.PG_HOST),
            where.setting(PGProperty.PG_PORT),
            where.setting(PGProperty.PG_DBNAME),
            schema);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text == null ? "" : text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** The peer with its packages below {@code target}, made once per JVM and kept for the next. */
  private static final class Installation {
    /** Why there is no peer; empty when there is one. */
    private static final String PROBLEM = install();

    private static String install() {
      try {
        Files.createDirectories(HOME);
        boolean kept = Files.isDirectory(HOME.resolve("node_modules")) && sameLock();
        for (String file : List.of("package.json", "package-lock.json", "peer.mjs")) {
          Files.copy(SOURCE.resolve(file), HOME.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
        String noNode = run("node", "--version");
        return !noNode.isEmpty() || kept ? noNode : run("npm", "ci", "--no-audit", "--no-fund");
      } catch (IOException e) {
        return e.toString();
      }
    }

    private static boolean sameLock() throws IOException {
      Path copy = HOME.resolve("package-lock.json");
      return Files.exists(copy)
          && Files.mismatch(copy, SOURCE.resolve("package-lock.json")) < 0
          && Files.exists(HOME.resolve("node_modules/.package-lock.json"));
    }

    /** What went wrong with a program, or nothing. */
    private static String run(String... command) throws IOException {
      Path log = HOME.resolve(command[0] + ".log");
      ProcessBuilder builder = new ProcessBuilder(command).directory(HOME.toFile());
      Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
      try {
        if (!process.waitFor(2 * PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          process.destroyForcibly();
          return command[0] + " takes too long";
        }
        return process.exitValue() == 0 ? "" : command[0] + " says: " + Files.readString(log);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return "interrupted";
      }
    }
  }
}
