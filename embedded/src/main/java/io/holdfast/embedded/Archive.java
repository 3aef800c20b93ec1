package io.holdfast.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * PostgreSQL as it comes on the class path: one xz-packed tar per machine type.
 *
 * @param source where the archive is
 * @param name unique to its content
 */
record Archive(URL source, String name) {
  private static final Map<URL, String> NAMES = new ConcurrentHashMap<>();

  /** The archive for this operating system and processor. */
  static Archive forThisMachine(Path dataDir) throws IOException {
    String machine = System.getProperty("os.name") + "-" + System.getProperty("os.arch");
    String resource =
        switch (machine) {
          case "Linux-amd64" -> "postgres-linux-x86_64.txz";
          case "Linux-aarch64" -> "postgres-linux-arm_64.txz";
          default -> "postgres-" + machine + ".txz";
        };
    URL source = Archive.class.getClassLoader().getResource(resource);
    if (source == null) {
      throw new EmbeddedPostgresException(
          dataDir,
          "no PostgreSQL for " + machine + " on the class path; use a server of your own instead");
    }
    String name = NAMES.get(source);
    if (name == null) {
      name = resource.replace(".txz", "-") + digest(source);
      NAMES.put(source, name);
    }
    return new Archive(source, name);
  }

  private static String digest(URL source) throws IOException {
    try (InputStream in = source.openStream()) {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      new DigestInputStream(in, sha).transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(sha.digest(), 0, 8);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * Unpacks into a new directory: readable by all, writable by the owner, without what only
   * compilers need.
   */
  void unpack(Path target) throws IOException {
    create(target);
    try (var in =
        new TarArchiveInputStream(
            new XZCompressorInputStream(new BufferedInputStream(source.openStream())))) {
      for (TarArchiveEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        Path path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
          throw new IOException(source + " contains " + entry.getName());
        }
        if (!entry.getName().endsWith(".a")) {
          unpack(entry, in, path);
        }
      }
    }
  }

  private static void unpack(TarArchiveEntry entry, InputStream in, Path path) throws IOException {
    if (entry.isDirectory()) {
      create(path);
      return;
    }
    create(path.getParent());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
    } else {
      Files.copy(in, path);
      Trees.allow(path, (entry.getMode() & 0100) == 0 ? "rw-r--r--" : "rwxr-xr-x");
    }
  }

  private static void create(Path directory) throws IOException {
    if (Files.notExists(directory)) {
      create(directory.getParent());
      Files.createDirectory(directory);
      Trees.allow(directory, "rwxr-xr-x");
    }
  }
}
