package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocksBenchmarkTest {
  private static final Profile TINY =
      new Profile(
          1, Duration.ofMillis(200), Duration.ofMillis(50), 100, Duration.ofSeconds(1), 60, 20);

  @Test
  void every_subject_gives_figures_in_every_measure(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("locks.json");

    Report report =
        LocksBenchmark.measure(TINY, null, new LinkedHashSet<>(LockMeasures.ALL), name -> {});
    LocksBenchmark.write(report, file);
    new ReportPrinter(System.out).print(report);

    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertThat(json.get("setting").get("server").get("fsync").asText()).isEqualTo("on");
    assertThat(json.get("setting").get("server").get("synchronous_commit").asText())
        .isEqualTo("on");
    assertThat(report.accounts()).hasSameSizeAs(Kind.LOCKS);
    assertThat(report.measures()).hasSize(8);
    for (Report.Measure measure : report.measures()) {
      assertThat(measure.figures())
          .allSatisfy(
              figure ->
                  assertThat(figure.perSecond().median())
                      .as(measure.id() + " of " + figure.subject())
                      .isPositive());
    }
    assertThat(json.get("measures")).hasSize(8);
    assertThat(json.get("targets")).hasSizeGreaterThanOrEqualTo(10);
  }

  @Test
  void a_spread_is_the_middle_and_the_ends() {
    assertThat(Spread.of(List.of(3.0, 1.0, 2.0))).isEqualTo(new Spread(2, 1, 3));
    assertThat(Spread.of(List.of(4.0, 2.0))).isEqualTo(new Spread(3, 2, 4));
  }
}
