package io.holdfast.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The server settings we choose: a few that hold at every start, the others only for a new cluster.
 */
final class Settings {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)?");

  /**
   * Written into postgresql.conf when the cluster is made, so that its owner may tune them there.
   */
  private static final List<String> INITIAL =
      List.of(
          "shared_buffers=128MB",
          "max_connections=100",
          "timezone=UTC",
          "log_timezone=UTC",
          // One file per weekday, emptied when its day comes round again: the log cannot grow for
          // ever.
          "logging_collector=on",
          "log_directory=log",
          "log_filename=postgresql-%a.log",
          "log_rotation_age=1d",
          "log_rotation_size=0",
          "log_truncate_on_rotation=on");

  /** Given on the command line, where no configuration file and no ALTER SYSTEM can undo them. */
  private static final List<String> ALWAYS =
      List.of(
          "listen_addresses=127.0.0.1",
          // The path of a socket is limited to about 100 bytes; a data directory's is not.
          "unix_socket_directories=",
          "password_encryption=scram-sha-256",
          "fsync=on",
          "synchronous_commit=on",
          "full_page_writes=on");

  /** What would open the server to others or hide it from us. */
  private static final Set<String> RESERVED =
      Set.of(
          "config_file",
          "data_directory",
          "external_pid_file",
          "hba_file",
          "ident_file",
          "listen_addresses",
          "password_encryption",
          "port",
          "unix_socket_directories");

  private Settings() {}

  /** Refuses a name that is none or is ours to set, and a value that cannot be an argument. */
  static void check(String name, String value) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("'" + name + "' is not a server setting");
    }
    if (RESERVED.contains(name)) {
      throw new IllegalArgumentException("'" + name + "' is set by the embedded server itself");
    }
    if (value.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("the value of '" + name + "' contains a zero character");
    }
  }

  /** Arguments of initdb. */
  static List<String> forNewCluster() {
    List<String> arguments = new ArrayList<>();
    INITIAL.forEach(setting -> arguments.add("--set=" + setting));
    return arguments;
  }

  /** Arguments of postgres; the caller's settings come last and win. */
  static List<String> forStart(int port, Map<String, String> callers) {
    List<String> arguments = new ArrayList<>(List.of("-p", Integer.toString(port)));
    ALWAYS.forEach(setting -> arguments.addAll(List.of("-c", setting)));
    callers.forEach((name, value) -> arguments.addAll(List.of("-c", name + "=" + value)));
    return arguments;
  }
}
