package io.holdfast.embedded;

import static io.holdfast.embedded.Directories.query;
import static io.holdfast.embedded.Directories.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data directory may lie anywhere. */
class PathsTest {
  @TempDir Path temp;

  @Test
  void a_long_path_full_of_spaces_and_quotes() throws Exception {
    Path parent = Directories.open(temp);

    assertOpens(parent.resolve("and $HOME `quotes` \"' " + "long ".repeat(40) + "x"));
  }

  @Test
  void a_path_that_only_its_owner_can_reach() throws Exception {
    assumeFalse(Directories.account().files().given(), "nobody must reach it here");
    Path closed = Files.createDirectory(temp.resolve("closed"));
    Trees.allow(closed, "rwx------");

    assertOpens(Directories.copy(closed.resolve("data")));
  }

  @Test
  void a_relative_path() throws IOException, SQLException {
    assertOpens(Path.of("").toAbsolutePath().relativize(shared()));
  }

  @Test
  void a_symbolic_link_is_the_same_directory() throws IOException {
    Path dataDir = shared();
    Path link = Files.createSymbolicLink(temp.resolve("link"), dataDir);

    try (EmbeddedPostgres one = EmbeddedPostgres.open(dataDir);
        EmbeddedPostgres two = EmbeddedPostgres.open(link)) {
      assertThat(two.postmaster()).isEqualTo(one.postmaster());
    }
  }

  @Test
  void a_file_is_refused() throws IOException {
    Path file = Files.createFile(temp.resolve("file"));

    assertThatThrownBy(() -> EmbeddedPostgres.open(file))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining(file.toString());
  }

  private static void assertOpens(Path dataDir) throws SQLException {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir)) {
      assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
    }
  }
}
