package io.holdfast.cli;

import io.holdfast.server.http.Role;
import io.holdfast.server.http.Tokens;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes tokens. */
@Command(
    name = "token",
    header = "Make tokens for serve --tokens.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = TokenCommand.Create.class)
final class TokenCommand implements Runnable {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing: create");
  }

  /** Makes one. */
  @Command(
      name = "create",
      customSynopsis = "holdfast token create NAME --role ROLE[,ROLE] [OPTION]...",
      sortOptions = false,
      header = "Make a token and print it, once.",
      description = {
        "With --file its line is added to a token file, which a running server reads again;",
        "without, the line is printed too. The file has hashes only.",
        ""
      })
  static final class Create implements Callable<Integer> {
    private static final int BYTES = 32;

    @Parameters(paramLabel = "NAME", description = "Who it is for, as logs and figures call it.")
    private String name;

    @Option(
        names = "--role",
        paramLabel = "ROLE",
        split = ",",
        required = true,
        description = "read, produce, work, admin.")
    private List<String> roles;

    @Option(
        names = "--prefix",
        paramLabel = "TEXT",
        split = ",",
        description = "Only for names that begin so.")
    private @Nullable List<String> prefixes;

    @Option(names = "--file", paramLabel = "FILE", description = "The token file to add it to.")
    private @Nullable Path file;

    @Option(
        names = {"-h", "--help"},
        usageHelp = true,
        description = "Show this help.")
    private boolean help;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
      if (!name.matches("[^\\s#]\\S*")) {
        throw mistake("NAME: no blanks, and no # in front");
      }
      List<String> begins = prefixes == null ? List.of() : prefixes;
      if (begins.stream().anyMatch(prefix -> prefix.isEmpty() || prefix.matches(".*\\s.*"))) {
        throw mistake("--prefix: no blanks, and not empty");
      }
      byte[] random = new byte[BYTES];
      new SecureRandom().nextBytes(random);
      String token = "hf_" + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
      String line = Tokens.line(name, roles(), begins, token);
      PrintWriter out = spec.commandLine().getOut();
      if (file == null) {
        out.println(line);
      } else {
        append(file, line);
      }
      out.println(token);
      out.flush();
      return Exit.OK;
    }

    private Set<Role> roles() {
      Set<Role> set = EnumSet.noneOf(Role.class);
      for (String role : roles) {
        try {
          set.add(Role.valueOf(role.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
          throw mistake("--role: read, produce, work or admin");
        }
      }
      return set;
    }

    private ParameterException mistake(String message) {
      return new ParameterException(spec.commandLine(), message);
    }

    private static void append(Path file, String line) throws IOException {
      if (Files.notExists(file)) {
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      }
      String start = isInsideLine(file) ? "\n" : "";
      Files.writeString(file, start + line + "\n", StandardOpenOption.APPEND);
    }

    /** Whether what is added would continue a line, as after an editor that ends none. */
    private static boolean isInsideLine(Path file) throws IOException {
      byte[] text = Files.readAllBytes(file);
      return text.length > 0 && text[text.length - 1] != '\n';
    }
  }
}
