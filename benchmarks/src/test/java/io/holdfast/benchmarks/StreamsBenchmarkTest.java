package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StreamsBenchmarkTest {
  private static final StreamProfile TINY =
      new StreamProfile(Profile.QUICK, 20_000, 200, 1_000, 20, Duration.ofMillis(500))
          .withRounds(1, Duration.ofMillis(200));

  @Test
  void every_measure_gives_figures_and_a_verdict_on_its_targets(@TempDir Path directory)
      throws Exception {
    Path file = directory.resolve("streams.json");

    QueueReport report =
        StreamsBenchmark.measure(TINY, null, new LinkedHashSet<>(StreamMeasures.ALL), name -> {});
    LocksBenchmark.write(report, file);
    report.print(System.out);

    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertThat(json.get("setting").get("server").get("fsync").asText()).isEqualTo("on");
    assertThat(report.measures()).hasSize(3);
    for (Report.Measure measure : report.measures()) {
      assertThat(measure.figures())
          .allSatisfy(
              figure ->
                  assertThat(figure.perSecond().median())
                      .as(measure.id() + " of " + figure.subject())
                      .isPositive());
    }
    assertThat(report.targets().stream().map(Report.Target::id).distinct())
        .containsExactly("1", "2", "3", "4");
    assertThat(report.targets()).filteredOn(target -> target.holds() != null).hasSize(18);
  }

  @Test
  void consumers_that_are_killed_lose_nothing_and_disorder_nothing() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();

    boolean passes =
        StreamSoak.run(
            null,
            new StreamSoak.Size(2_000, 50, Duration.ofSeconds(1), 1_000),
            new PrintStream(printed, true, StandardCharsets.UTF_8));

    String text = printed.toString(StandardCharsets.UTF_8);
    assertThat(passes).as(text).isTrue();
    assertThat(text).contains("PASS: ").doesNotContain("FAIL");
  }
}
