package io.holdfast.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Who the server runs as. PostgreSQL refuses to run as root, so for root there are two ways:
 *
 * <ul>
 *   <li>a new user namespace: the kernel still sees root without privileges, so the files stay
 *       root's and may lie anywhere; the server sees an ordinary user;
 *   <li>the account {@code nobody}: the cluster is given to it and it must be able to reach the
 *       directory.
 * </ul>
 *
 * @param prefix the arguments before a program that make it run as this account
 * @param files who owns the cluster
 */
record Account(List<String> prefix, Owner files) {
  private static final int ROOT = 0;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  /**
   * An owner of files; {@code given} when they must be handed over because we are somebody else.
   */
  record Owner(int uid, int gid, boolean given) {}

  /** Runs a small command; one that is not installed here ends with a status that is not zero. */
  interface Probe {
    Command run(List<String> arguments) throws IOException, InterruptedException;
  }

  /** Chooses for this process; {@code owner} is who owns the cluster already, if anybody does. */
  static Account choose(Path dataDir, OptionalInt owner) throws IOException, InterruptedException {
    return choose(dataDir, me(), owner, Account::probe);
  }

  /** The id of the user this JVM runs as. */
  static int me() throws IOException {
    return Trees.owner(Path.of("/proc/self/stat"));
  }

  static Account choose(Path dataDir, int me, OptionalInt owner, Probe probe)
      throws IOException, InterruptedException {
    int holder = owner.orElse(me);
    if (me != ROOT) {
      if (holder != me) {
        throw belongsTo(dataDir, holder);
      }
      return new Account(List.of(), new Owner(me, me, false));
    }
    List<String> namespace = List.of("unshare", "-U");
    if (holder == ROOT && works(namespace, probe)) {
      return new Account(namespace, new Owner(ROOT, ROOT, false));
    }
    return nobody(dataDir, holder, probe);
  }

  private static Account nobody(Path dataDir, int holder, Probe probe)
      throws IOException, InterruptedException {
    Command uid = probe.run(List.of("id", "-u", "nobody"));
    Command gid = probe.run(List.of("id", "-g", "nobody"));
    if (uid.succeeded() && gid.succeeded()) {
      Owner owner = new Owner(Integer.parseInt(uid.output()), Integer.parseInt(gid.output()), true);
      if (holder != ROOT && holder != owner.uid()) {
        throw belongsTo(dataDir, holder);
      }
      List<List<String>> ways =
          List.of(
              List.of(
                  "setpriv", "--reuid=" + owner.uid(), "--regid=" + owner.gid(), "--clear-groups"),
              List.of("runuser", "-u", "nobody", "--"));
      for (List<String> way : ways) {
        if (works(way, probe)) {
          return new Account(way, owner);
        }
      }
    }
    throw new EmbeddedPostgresException(
        dataDir,
        "PostgreSQL refuses to run as root, and neither a user namespace (unshare -U) nor the"
            + " account nobody (setpriv, runuser) can be used here; run this program as an ordinary"
            + " user");
  }

  /**
   * A way works when it leads to an account that is not root and has a name: initdb asks for one.
   */
  private static boolean works(List<String> way, Probe probe)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(way);
    arguments.addAll(List.of("id", "-un"));
    Command who = probe.run(arguments);
    return who.succeeded() && !who.output().equals("root");
  }

  private static EmbeddedPostgresException belongsTo(Path dataDir, int uid) {
    return new EmbeddedPostgresException(
        dataDir,
        "it belongs to the user with id "
            + uid
            + "; open it as that user, or choose another directory");
  }

  private static Command probe(List<String> arguments) throws InterruptedException {
    try {
      return Command.run(arguments, "", TIMEOUT);
    } catch (IOException missing) {
      return new Command(127, String.valueOf(missing.getMessage()));
    }
  }

  /** The command as this account runs it. */
  List<String> command(Path program, List<String> arguments) {
    List<String> all = new ArrayList<>(prefix);
    all.add(program.toString());
    all.addAll(arguments);
    return all;
  }

  /** Hands a tree over, where the account is not ours and does not have it yet. */
  void own(Path tree) throws IOException {
    if (files.given() && Trees.owner(tree) != files.uid()) {
      Trees.give(tree, files.uid(), files.gid());
    }
  }

  /**
   * Lets the account into the directory, as far as that is in our hands, and refuses one it cannot
   * reach.
   */
  void requireAccess(Path dataDir, Binaries binaries) throws IOException, InterruptedException {
    if (!files.given()) {
      return;
    }
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(dataDir);
    if (permissions.add(PosixFilePermission.OTHERS_EXECUTE)) {
      Files.setPosixFilePermissions(dataDir, permissions);
    }
    Trees.allow(binaries.home().getParent(), "rwxr-xr-x");
    boolean runs = probe(command(binaries.program("postgres"), List.of("--version"))).succeeded();
    if (!runs || !probe(command(Path.of("test"), List.of("-x", dataDir.toString()))).succeeded()) {
      throw new EmbeddedPostgresException(
          dataDir,
          "the server must run as nobody, who cannot reach this directory; choose one below a"
              + " directory that everybody may enter, or run this program as an ordinary user");
    }
  }
}
