package io.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Servers that leave nothing behind. */
class TemporaryDirectoryTest {
  @Test
  void the_directory_goes_with_its_server() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.temporary();
    Path dataDir = postgres.dataDir();
    assertThat(Directories.query(postgres, "SHOW fsync")).isEqualTo("on");

    postgres.close();

    assertThat(dataDir).doesNotExist();
    assertThat(postgres.postmaster().isPostgres()).isFalse();
  }

  @Test
  void a_directory_whose_server_does_not_start_goes_too() {
    EmbeddedOptions bad = EmbeddedOptions.defaults().withSetting("max_connections", "many");

    assertThatThrownBy(() -> EmbeddedPostgres.temporary(bad))
        .isInstanceOfSatisfying(
            EmbeddedPostgresException.class,
            failure -> assertThat(failure.dataDir()).doesNotExist());
  }

  @Test
  void what_a_killed_process_left_is_removed_by_the_next() throws Exception {
    Child.Opened left;
    try (Child child = Child.start("temporary")) {
      left = child.ready();
      TemporaryDirectory.sweep(left.dataDir().getParent());
      assertThat(left.dataDir()).as("a living one's").exists();
      child.signal("KILL");
    }

    TemporaryDirectory.sweep(left.dataDir().getParent());

    assertThat(left.dataDir()).doesNotExist();
    Postmaster server = new Postmaster(left.postmaster(), "", 0, "");
    assertThat(Deadline.in(Duration.ofSeconds(10)).await(() -> !server.isPostgres())).isTrue();
  }
}
