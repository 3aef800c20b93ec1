package io.holdfast.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/** A consumer process of the soak, as its parent sees it. */
final class SoakChild implements AutoCloseable {
  private final String url;
  private final String name;
  private int lives;
  private Process process;
  private PrintWriter orders;
  private BufferedReader answers;

  SoakChild(String url, String name) throws IOException {
    this.url = url;
    this.name = name;
    this.process = start();
    this.orders = greet(process);
    this.answers = process.inputReader();
  }

  /** It lives for seconds: what matters is how soon it works. */
  private static Process start() throws IOException {
    return ChildJvm.start("soak-consumer", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
  }

  /** The address goes by standard input, which keeps a password off the command line. */
  private PrintWriter greet(Process started) {
    PrintWriter writer = new PrintWriter(started.outputWriter(), true);
    writer.println(url);
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
