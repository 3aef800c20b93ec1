package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A holdfast in a JVM of its own, its standard streams in the hands of a test. */
final class Cli implements AutoCloseable {
  static final int PATIENCE_SECONDS = 60;

  private final Process process;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final CompletableFuture<String> output;
  private final CompletableFuture<String> errors;

  private Cli(Process process) {
    this.process = process;
    this.output = read(process.inputReader(StandardCharsets.UTF_8), lines);
    this.errors = read(process.errorReader(StandardCharsets.UTF_8), new LinkedBlockingQueue<>());
  }

  /** How it ended, and all it and its command said. */
  record Done(int code, String out, String err) {}

  static Cli start(String... arguments) {
    return start(Path.of("").toAbsolutePath(), arguments);
  }

  static Cli start(Path directory, String... arguments) {
    return start(directory, Map.of(), arguments);
  }

  /** With these variables, and none of ours that this JVM may have. */
  static Cli start(Path directory, Map<String, String> environment, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
    builder.environment().putAll(environment);
    try {
      return new Cli(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts it and waits for its end. */
  static Done run(String... arguments) {
    try (Cli cli = start(arguments)) {
      return cli.end();
    }
  }

  /** The same in this JVM, for what needs no process of its own. */
  static Done here(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      int code = Main.execute(new PrintStream(out, true, StandardCharsets.UTF_8), arguments);
      return new Done(
          code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    } finally {
      System.setErr(before);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Waits for a line of output that starts so, and answers the rest of it. */
  String line(String start) {
    try {
      while (true) {
        String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (line == null) {
          return fail("no line '%s'; it said: %s", start, errors.getNow("(still running)"));
        }
        if (line.startsWith(start)) {
          return line.substring(start.length()).strip();
        }
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Closes its standard input, which its command shares. */
  Cli hangUp() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  Cli signal(String name) {
    try {
      Process kill = new ProcessBuilder("kill", "-s", name, Long.toString(process.pid())).start();
      assertThat(kill.waitFor()).isZero();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
    return this;
  }

  /** Waits until it has ended, and with it everybody who could still write to its output. */
  Done end() {
    try {
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
      String out = output.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return new Done(process.exitValue(), out, errors.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    } catch (TimeoutException e) {
      return fail("it ended, but something it started still has its output");
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  /** Waits for something that makes no signal. */
  static void await(String what, BooleanSupplier condition) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - until).as(what).isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  /** Whether the process runs; one that is dead and not yet buried does not. */
  static boolean isAlive(String pid) {
    try {
      String stat = Files.readString(Path.of("/proc", pid, "stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException gone) {
      return false;
    }
  }

  private static CompletableFuture<String> read(
      BufferedReader reader, BlockingQueue<String> lines) {
    CompletableFuture<String> all = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              StringBuilder text = new StringBuilder();
              try {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                  text.append(line).append('\n');
                  lines.add(line);
                }
              } catch (IOException e) {
                text.append(e);
              }
              all.complete(text.toString());
            });
    thread.setDaemon(true);
    thread.start();
    return all;
  }
}
