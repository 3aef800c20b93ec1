package io.holdfast.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.Guarantee;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Each guarantee in the document has a test that says so, and each test names one in the document.
 */
class GuaranteesTest {
  private static final Pattern LISTED =
      Pattern.compile("(?m)^\\| (L[FX]?\\d+|[QS]F?\\d+|J[FP]?\\d+|W\\d+) \\|");
  private static final Pattern ANNOTATION = Pattern.compile("@Guarantee\\(([^)]*)\\)");
  private static final Pattern ID = Pattern.compile("\"([A-Z]+\\d+)\"");

  @Test
  @Guarantee("L95")
  void every_listed_guarantee_is_proven_by_a_test() {
    assertThat(proven()).containsAll(listed());
  }

  @Test
  void no_test_claims_a_guarantee_that_is_not_listed() {
    assertThat(listed()).containsAll(proven());
  }

  @Test
  void the_list_is_complete() {
    Set<String> expected = new TreeSet<>();
    for (int line = 1; line <= 99; line++) {
      if (line != 85 && line != 86) {
        expected.add("L" + line);
      }
    }
    for (int failure = 1; failure <= 21; failure++) {
      expected.add("LF" + failure);
    }
    for (int line = 1; line <= 10; line++) {
      expected.add("LX" + line);
    }
    for (int line = 1; line <= 96; line++) {
      if (line != 75) {
        expected.add("Q%02d".formatted(line));
      }
    }
    for (int failure = 1; failure <= 25; failure++) {
      expected.add("QF" + failure);
    }
    expected.addAll(ids("S%02d", 114));
    expected.remove("S99");
    expected.addAll(ids("SF%d", 27));
    expected.addAll(ids("J%d", 87));
    expected.remove("J81");
    expected.addAll(ids("W%d", 30));
    expected.addAll(ids("JP%d", 11));
    expected.addAll(ids("JF%d", 23));
    assertThat(listed()).containsAll(expected);
  }

  private static Set<String> ids(String form, int count) {
    Set<String> ids = new TreeSet<>();
    for (int line = 1; line <= count; line++) {
      ids.add(form.formatted(line));
    }
    return ids;
  }

  private static Set<String> listed() {
    return all(LISTED, Repository.text(Repository.file("docs/guarantees.md")));
  }

  private static Set<String> proven() {
    Set<String> ids = new TreeSet<>();
    for (Path source : Repository.sources()) {
      Matcher annotation = ANNOTATION.matcher(Repository.text(source));
      while (annotation.find() && !source.endsWith("Guarantee.java")) {
        ids.addAll(all(ID, annotation.group(1)));
      }
    }
    return ids;
  }

  private static Set<String> all(Pattern pattern, String text) {
    Set<String> found = new TreeSet<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }
}
