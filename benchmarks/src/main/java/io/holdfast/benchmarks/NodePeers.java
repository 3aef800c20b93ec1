package io.holdfast.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where the peers that need Node.js are: their packages are fetched by npm into the build's own
 * directory, once for each list of packages. Without Node.js, npm or a registry there are none.
 *
 * @param directory has scripts and packages
 * @param missing why there are none; null when there are
 */
record NodePeers(Path directory, @Nullable String missing) {
  private static final String PACKAGES = "package.json";
  private static final List<String> SCRIPTS = List.of("orders.js", "graphile.js", "pgboss.js");
  private static final int NODE = 20;
  private static final long PATIENCE_SECONDS = 300;

  /** Fetches them if need be. */
  static NodePeers prepare() throws InterruptedException {
    try {
      Path directory = besideTheClasses();
      return new NodePeers(directory, install(directory));
    } catch (IOException | URISyntaxException e) {
      return none(e.getMessage());
    }
  }

  static NodePeers none(String why) {
    return new NodePeers(Path.of(""), why);
  }

  private static Path besideTheClasses() throws URISyntaxException, IOException {
    Path classes = Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return Files.createDirectories(classes.resolveSibling("peers"));
  }

  private static @Nullable String install(Path directory) throws IOException, InterruptedException {
    String version = run(directory, "node", "--version").strip();
    if (Integer.parseInt(version.replaceAll("v(\\d+).*", "$1")) < NODE) {
      return "they need Node.js %d, and here is %s".formatted(NODE, version);
    }
    for (String script : SCRIPTS) {
      copy(script, directory);
    }
    Path stamp = directory.resolve("installed.json");
    byte[] wanted = read(PACKAGES);
    if (Files.exists(stamp) && Arrays.equals(Files.readAllBytes(stamp), wanted)) {
      return null;
    }
    copy(PACKAGES, directory);
    run(
        directory,
        "npm",
        "install",
        "--no-package-lock",
        "--no-audit",
        "--no-fund",
        "--loglevel=error");
    Files.write(stamp, wanted);
    return null;
  }

  private static byte[] read(String name) throws IOException {
    try (InputStream in = Main.class.getResourceAsStream("/peers/" + name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    }
  }

  private static void copy(String name, Path directory) throws IOException {
    Files.write(directory.resolve(name), read(name));
  }

  private static String run(Path directory, String... line)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(line).directory(directory.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException(String.join(" ", line) + " failed: " + said.strip());
    }
    return said;
  }
}
