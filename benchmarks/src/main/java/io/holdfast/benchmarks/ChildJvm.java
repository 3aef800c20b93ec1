package io.holdfast.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts another JVM of the same class path, which is told what to do on its standard input. */
final class ChildJvm {
  private ChildJvm() {}

  /** Runs a hidden command of ours; what it complains of goes where our complaints go. */
  static Process start(String command, String... options) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of(options));
    line.addAll(
        List.of("-Xmx512m", "-cp", System.getProperty("java.class.path"), Main.class.getName()));
    line.add(command);
    return new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
