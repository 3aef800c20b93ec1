package io.holdfast.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.postgres.Finding;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.StuckPartition;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Says what is wrong with a database, and what to do. */
@Command(
    name = "doctor",
    customSynopsis = "holdfast doctor [--json] [OPTION]...",
    sortOptions = false,
    header = "Look for what makes a database slow or unsafe; changes nothing.",
    description = {"Exit code 1 if there is a problem.", ""})
final class DoctorCommand implements Callable<Integer> {
  @Option(names = "--json", description = "In JSON.")
  private boolean json;

  @Mixin private DatabaseOptions database;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    List<Finding> findings;
    try (Session session = database.openExisting()) {
      findings = new ArrayList<>(session.holdfast().examine());
      findings.addAll(stuck(session));
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Json.print(asJson(findings), out);
    } else {
      findings.forEach(finding -> print(finding, out));
    }
    out.flush();
    boolean isSound =
        findings.stream().noneMatch(finding -> finding.level() == Finding.Level.PROBLEM);
    return isSound ? Exit.OK : Exit.FAILED;
  }

  private static List<Finding> stuck(Session session) {
    List<Finding> findings = new ArrayList<>();
    for (StuckPartition partition : session.holdfast().streams().browser().stuck(null)) {
      findings.add(
          new Finding(
              Finding.Level.WARNING,
              "stream partition",
              inWords(partition),
              "see why with holdfast streams explain STREAM PARTITION GROUP"));
    }
    return findings;
  }

  private static String inWords(StuckPartition stuck) {
    CursorKey cursor = stuck.cursor();
    String reason = stuck.reason().name().toLowerCase(Locale.ROOT);
    String error = stuck.error() == null ? "" : ", the last error: " + stuck.error();
    return "%s / %s, group %s: %s, attempt %d%s"
        .formatted(
            cursor.queue(), cursor.partition(), cursor.group(), reason, stuck.attempt(), error);
  }

  private static void print(Finding finding, PrintWriter out) {
    String level = finding.level().name().toLowerCase(Locale.ROOT);
    out.printf("%-8s %-22s %s%n", level, finding.subject(), Text.oneLine(finding.found()));
    if (!finding.advice().isEmpty()) {
      out.printf("%-8s %-22s -> %s%n", "", "", finding.advice());
    }
  }

  private static ObjectNode asJson(List<Finding> findings) {
    ObjectNode answer = Json.object();
    ArrayNode array = answer.putArray("findings");
    for (Finding finding : findings) {
      array
          .addObject()
          .put("level", finding.level().name().toLowerCase(Locale.ROOT))
          .put("subject", finding.subject())
          .put("found", finding.found())
          .put("advice", finding.advice());
    }
    return answer;
  }
}
