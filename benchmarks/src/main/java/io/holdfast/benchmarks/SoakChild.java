package io.holdfast.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A consumer process of a soak, as its parent sees it. */
final class SoakChild implements AutoCloseable {
  private final String command;
  private final List<String> first;
  private final String name;
  private int lives;
  private Process process;
  private PrintWriter orders;
  private BufferedReader answers;

  /** Runs {@code command}, which is told the first orders and then its name, one in each life. */
  SoakChild(String command, List<String> first, String name) throws IOException {
    this.command = command;
    this.first = first;
    this.name = name;
    this.process = start();
    this.orders = greet(process);
    this.answers = process.inputReader();
  }

  /** It lives for seconds: what matters is how soon it works. */
  private Process start() throws IOException {
    return ChildJvm.start(command, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
  }

  /** An address goes by standard input, which keeps a password off the command line. */
  private PrintWriter greet(Process started) {
    PrintWriter writer = new PrintWriter(started.outputWriter(), true);
    first.forEach(writer::println);
    writer.println(name + "-" + ++lives);
    return writer;
  }

  /** Kills it in the middle of whatever it does, and starts another one in its place. */
  void killAndRestart() throws IOException, InterruptedException {
    process.destroyForcibly().waitFor();
    orders.close();
    process = start();
    orders = greet(process);
    answers = process.inputReader();
  }

  /** Whether it has settled items, and does so again and again: only then is it worth a kill. */
  boolean isWorking() throws IOException {
    return answers.ready();
  }

  /** Whether nothing but us ends it. */
  boolean isAlive() {
    return process.isAlive();
  }

  /** Lets it finish, and answers whether it ended well. */
  boolean finish() throws InterruptedException {
    orders.close();
    return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  @Override
  public void close() {
    orders.close();
    process.destroyForcibly();
  }
}
