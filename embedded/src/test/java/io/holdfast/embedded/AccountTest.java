package io.holdfast.embedded;

import static io.holdfast.embedded.Directories.assertShutDown;
import static io.holdfast.embedded.Directories.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who the server runs as, on machines of every kind. */
class AccountTest {
  private static final Path DIR = Path.of("/data");
  private static final int NOBODY = 65534;
  private static final List<String> SETPRIV =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

  @TempDir Path temp;

  @Test
  void an_ordinary_user_needs_nothing() throws Exception {
    Account account = Account.choose(DIR, 1000, OptionalInt.of(1000), only());

    assertThat(account.prefix()).isEmpty();
    assertThat(account.files().given()).isFalse();
  }

  @Test
  void root_prefers_a_user_namespace_then_setpriv_then_runuser() throws Exception {
    assertThat(Account.choose(DIR, 0, OptionalInt.empty(), only("unshare", "setpriv")).prefix())
        .containsExactly("unshare", "-U");
    assertThat(Account.choose(DIR, 0, OptionalInt.empty(), only("setpriv", "runuser")).prefix())
        .isEqualTo(SETPRIV);
    assertThat(Account.choose(DIR, 0, OptionalInt.empty(), only("runuser")).prefix())
        .containsExactly("runuser", "-u", "nobody", "--");
  }

  @Test
  void a_cluster_that_was_given_to_nobody_stays_with_nobody() throws Exception {
    Account account = Account.choose(DIR, 0, OptionalInt.of(NOBODY), only("unshare", "setpriv"));

    assertThat(account.prefix()).isEqualTo(SETPRIV);
  }

  @Test
  void the_cluster_of_another_user_is_refused() {
    for (int me : new int[] {0, 1000}) {
      assertThatThrownBy(
              () -> Account.choose(DIR, me, OptionalInt.of(1001), only("unshare", "setpriv")))
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContainingAll("/data", "1001");
    }
  }

  @Test
  void root_without_any_way_is_told_so_in_one_line() {
    assertThatThrownBy(() -> Account.choose(DIR, 0, OptionalInt.empty(), only()))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContainingAll("/data", "root", "unshare", "ordinary user")
        .hasMessageNotContaining("\n");
  }

  @Test
  void nobody_can_make_and_run_a_cluster_for_root() throws Exception {
    assumeTrue(Account.me() == 0, "only root can become nobody");
    Trees.allow(temp, "rwx--x--x");
    Path dataDir = Files.createDirectory(temp.resolve("data"));
    Path cluster = Files.createDirectory(Directories.cluster(dataDir));
    Trees.give(cluster, NOBODY, NOBODY); // as if namespaces had not worked here

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir)) {
      assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
      Path process = Path.of("/proc/" + postgres.postmaster().pid() + "/stat");
      assertThat(Trees.owner(process)).isEqualTo(NOBODY);
    }
    assertShutDown(dataDir);

    Trees.allow(temp, "rwx------");
    assertThatThrownBy(() -> EmbeddedPostgres.open(dataDir))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("nobody, who cannot reach");
  }

  @Test
  void an_ordinary_user_runs_the_server_itself() throws Exception {
    assumeTrue(Account.me() == 0, "every other test does this already");
    int daemon = Integer.parseInt(Directories.run("id", "-u", "daemon"));
    Trees.allow(temp, "rwxr-xr-x");
    Path home = Files.createDirectory(temp.resolve("home"));
    copyBinaries(home.resolve("cache/holdfast"));
    Trees.give(home, daemon, daemon);
    Path dataDir = home.resolve("data");
    String classPath = readableClassPath(Files.createDirectory(temp.resolve("lib")));
    Map<String, String> environment = Map.of("XDG_CACHE_HOME", home.resolve("cache").toString());
    List<String> asDaemon =
        List.of("setpriv", "--reuid=" + daemon, "--regid=" + daemon, "--clear-groups");

    try (Child child = Child.start(asDaemon, classPath, environment, dataDir.toString())) {
      long postmaster = child.ready().postmaster();
      assertThat(Trees.owner(Path.of("/proc/" + postmaster + "/stat"))).isEqualTo(daemon);
      assertThatThrownBy(() -> EmbeddedPostgres.open(dataDir))
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContaining("belongs to the user with id " + daemon);
      child.finish();
    }
    assertShutDown(dataDir);
  }

  private static void copyBinaries(Path parent) throws Exception {
    Files.createDirectories(parent);
    Directories.run("cp", "-a", Directories.binaries().home().toString(), parent.toString());
  }

  /** The local repository may lie where no other user can read. */
  private static String readableClassPath(Path lib) {
    List<String> copies = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!entry.matches(".*(arm64|junit|assertj|byte-buddy).*")) {
        Path copy = lib.resolve(copies.size() + "-" + Path.of(entry).getFileName());
        Directories.run("cp", "-r", entry, copy.toString());
        copies.add(copy.toString());
      }
    }
    Directories.run("chmod", "-R", "a+rX", lib.toString());
    return String.join(File.pathSeparator, copies);
  }

  /** A machine on which only these ways work. */
  private static Account.Probe only(String... ways) {
    return arguments -> {
      String first = arguments.get(0);
      boolean asksForId = first.equals("id");
      return asksForId || List.of(ways).contains(first)
          ? new Command(0, asksForId ? "" + NOBODY : "nobody")
          : new Command(1, "");
    };
  }
}
