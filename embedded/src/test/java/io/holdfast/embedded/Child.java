package io.holdfast.embedded;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Another JVM that opens a directory, says so, and closes it when its input ends. */
final class Child implements AutoCloseable {
  private static final String READY = "ready ";
  private static final int PATIENCE_SECONDS = 60;

  private final Process process;
  private final BufferedReader output;

  private Child(Process process) {
    this.process = process;
    this.output = process.inputReader();
  }

  /** Options before the directory: {@code unhooked}, {@code temporary}. */
  public static void main(String[] arguments) throws IOException {
    List<String> options = List.of(arguments);
    EmbeddedOptions how = EmbeddedOptions.defaults().withCloseAtExit(!options.contains("unhooked"));
    try (EmbeddedPostgres postgres =
        options.contains("temporary")
            ? EmbeddedPostgres.temporary(how)
            : EmbeddedPostgres.open(Path.of(arguments[arguments.length - 1]), how)) {
      System.out.println(READY + postgres.postmaster().pid() + " " + postgres.dataDir());
      while (System.in.read() >= 0) {
        continue;
      }
    }
  }

  static Child start(String... arguments) throws IOException {
    return start(List.of(), System.getProperty("java.class.path"), Map.of(), arguments);
  }

  static Child start(
      List<String> prefix, String classPath, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", classPath));
    command.add(Child.class.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectErrorStream(true);
    builder.environment().putAll(environment);
    return new Child(builder.start());
  }

  /** Waits until the directory is open. */
  Opened ready() throws IOException {
    StringBuilder said = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(READY)) {
        String[] words = line.substring(READY.length()).split(" ", 2);
        return new Opened(Long.parseLong(words[0]), Path.of(words[1]));
      }
      said.append(line).append('\n');
    }
    throw new AssertionError("the child ended: " + said);
  }

  /** Lets it close the directory and end. */
  void finish() throws IOException, InterruptedException {
    process.getOutputStream().close();
    String said = end();
    assertThat(process.exitValue()).as(said).isZero();
  }

  /** Sends a signal and waits for the end. */
  void signal(String signal) throws IOException, InterruptedException {
    Directories.signal(signal, process.pid());
    end();
  }

  /** Sends a signal to the process group, which the child leads. */
  void signalGroup(String signal) {
    Directories.signal(signal, -process.pid());
  }

  private String end() throws IOException, InterruptedException {
    String said = output.lines().collect(Collectors.joining("\n"));
    assertThat(process.waitFor(PATIENCE_SECONDS, SECONDS)).isTrue();
    return said;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** What the child opened. */
  record Opened(long postmaster, Path dataDir) {}
}
