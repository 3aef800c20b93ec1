package io.holdfast.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the documents quote of the examples is what the examples say. */
class DocumentsTest {
  private static final Pattern QUOTE =
      Pattern.compile("<!-- from (\\w+)\\.java ([\\w-]+) -->\\n```java\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");

  @Test
  void the_snippets_of_the_readme_are_those_of_the_examples() {
    Matcher quotes = QUOTE.matcher(Repository.text(Repository.file("README.md")));
    int found = 0;
    while (quotes.find()) {
      found++;
      String source = example(quotes.group(1));
      String quoted = quotes.group(3);
      assertThat(quoted).isEqualTo(tagged(source, quotes.group(2)));
      assertThat(quoted.lines().count()).isLessThanOrEqualTo(8);
    }
    assertThat(found).isGreaterThanOrEqualTo(3);
  }

  @Test
  void the_readme_fits_two_hundred_lines() {
    assertThat(Repository.text(Repository.file("README.md")).lines().count())
        .isLessThanOrEqualTo(200);
  }

  @Test
  void links_between_documents_lead_somewhere() {
    for (String document :
        List.of(
            "README.md",
            "CONTRIBUTING.md",
            "docs/guides/locks.md",
            "docs/guides/queues.md",
            "docs/guides/streams.md",
            "docs/performance.md")) {
      Matcher links = LINK.matcher(Repository.text(Repository.file(document)));
      while (links.find()) {
        var target = Repository.file(document).resolveSibling(links.group(1)).normalize();
        assertThat(Files.exists(target)).as("%s links to %s", document, links.group(1)).isTrue();
      }
    }
  }

  private static String example(String name) {
    return Repository.text(
        Repository.file("examples/src/main/java/io/holdfast/examples/" + name + ".java"));
  }

  /** The tagged lines, moved to the left margin. */
  private static String tagged(String source, String tag) {
    String head = "// tag::" + tag + "[]\n";
    int start = source.indexOf(head) + head.length();
    String body = source.substring(start, source.indexOf("// end::" + tag + "[]"));
    return body.stripTrailing().stripIndent() + "\n";
  }
}
