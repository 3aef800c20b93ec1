package io.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs, unpacked. */
class BinariesTest {
  @TempDir Path temp;

  @BeforeEach
  void assumeUserCache() throws Exception {
    assumeFalse(Directories.account().files().given(), "root's servers run as nobody here");
  }

  @Test
  void processes_that_unpack_at_the_same_time_all_succeed() throws Exception {
    Path cache = temp.resolve("cache");
    Path unfinished =
        Files.createDirectories(cache.resolve("holdfast/" + archive().name() + ".unfinished"));
    Files.createFile(unfinished.resolve("left by a killed process"));
    String classPath = System.getProperty("java.class.path");
    Map<String, String> environment = Map.of("XDG_CACHE_HOME", cache.toString());
    Path one = Directories.copy(temp.resolve("one"));
    Path two = Directories.shared();

    try (Child first = Child.start(List.of(), classPath, environment, one.toString());
        Child second = Child.start(List.of(), classPath, environment, two.toString())) {
      first.ready();
      second.ready();
      first.finish();
      second.finish();
    }

    Path home = cache.resolve("holdfast").resolve(archive().name());
    assertThat(one.resolve("runtime")).doesNotExist();
    assertThat(home.getParent()).isDirectoryNotContaining("glob:**.unfinished");
    assertOnlyOwnerWrites(home);
    assertRefusedWhenOthersMayWrite(home);
  }

  private void assertOnlyOwnerWrites(Path home) throws IOException {
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.filter(file -> !Files.isSymbolicLink(file)).toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .as(file.toString())
            .matches("rw[x-]r-[x-]r-[x-]");
      }
    }
  }

  private void assertRefusedWhenOthersMayWrite(Path home) throws IOException {
    Trees.allow(home, "rwxrwxrwx");
    assertThatThrownBy(() -> Binaries.unpacked(archive(), home.getParent()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("can be changed by others");
  }

  @Test
  void a_cache_that_cannot_be_used_is_replaced_by_the_data_directory() throws Exception {
    Path dataDir = Directories.shared();
    Path runtime = Files.createDirectory(dataDir.resolve("runtime"));
    Path unpacked = runtime.resolve(archive().name());
    Files.createSymbolicLink(unpacked, Directories.binaries().home()); // saves unpacking again
    Path file = Files.createFile(temp.resolve("file"));
    String classPath = System.getProperty("java.class.path");
    Map<String, String> environment = Map.of("XDG_CACHE_HOME", file.toString());

    try (Child child = Child.start(List.of(), classPath, environment, dataDir.toString())) {
      Path command = Path.of("/proc/" + child.ready().postmaster() + "/cmdline");
      assertThat(Files.readString(command)).startsWith(unpacked + "/bin/postgres\0");
      child.finish();
    } finally {
      Trees.delete(runtime);
    }
  }

  private Archive archive() throws IOException {
    return Archive.forThisMachine(temp);
  }
}
