package io.holdfast.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Another JVM that competes with this one for a key. It is told what to do on its standard input,
 * which also keeps the password off its command line, and ends when that ends.
 */
final class Sibling implements AutoCloseable {
  private final Process process;
  private final PrintWriter orders;
  private final BufferedReader answers;
  private final Path file;
  private final Tally tally;

  private Sibling(Process process, Path file) throws IOException {
    this.process = process;
    this.orders = new PrintWriter(process.outputWriter(), true);
    this.answers = process.inputReader();
    this.file = file;
    this.tally = Tally.in(file);
  }

  /** Starts one with this many callers. */
  static Sibling start(Place place, int callers) throws IOException {
    Path file = Files.createTempFile("holdfast-bench", ".tally");
    Sibling sibling = new Sibling(ChildJvm.start("sibling"), file);
    sibling.orders.println(place.url());
    sibling.orders.println(place.poolSize());
    sibling.orders.println(callers);
    sibling.orders.println(file);
    return sibling;
  }

  /** What both count with. */
  Tally tally() {
    return tally;
  }

  /** Lets it compete with a subject for a time. */
  void start(Kind kind, Duration time) {
    orders.println(kind.name() + " " + time.toMillis());
  }

  /** Waits for the end and answers how many grants it got. */
  long finish() throws IOException {
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException("the other process ended too early");
    }
    return Long.parseLong(answer.strip());
  }

  @Override
  public void close() throws IOException {
    orders.close();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
