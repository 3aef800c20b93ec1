package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobsBenchmarkTest {
  private static final JobProfile TINY =
      new JobProfile(1, 300, Duration.ofMillis(200), 3, 2_000, 500, Duration.ofMillis(1_200));

  /** Node.js is not needed; what needs it is said not to have been measured. */
  @Test
  void every_measure_gives_figures_and_a_verdict_on_its_targets(@TempDir Path directory)
      throws Exception {
    Path file = directory.resolve("jobs.json");

    QueueReport report =
        JobsBenchmark.measure(
            TINY,
            null,
            new LinkedHashSet<>(JobMeasures.ALL),
            new JobPeers(JobPeer.all(), NodePeers.none("not asked for")),
            name -> {});
    LocksBenchmark.write(report, file);
    report.print(System.out);

    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertThat(json.get("setting").get("server").get("fsync").asText()).isEqualTo("on");
    assertThat(report.measures()).hasSize(2);
    for (Report.Measure measure : report.measures()) {
      assertThat(measure.figures())
          .allSatisfy(
              figure ->
                  assertThat(figure.perSecond().median())
                      .as(measure.id() + " of " + figure.subject())
                      .isPositive());
    }
    assertThat(report.targets().stream().map(Report.Target::id).distinct())
        .containsExactly("1", "2", "3", "4", "5", "6", "7", "8", "9");
    assertThat(report.targets()).filteredOn(target -> target.holds() == null).hasSize(4);
    assertThat(report.targets())
        .filteredOn(target -> target.measured().equals("not measured"))
        .hasSize(3);
  }
}
