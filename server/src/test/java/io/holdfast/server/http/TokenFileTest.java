package io.holdfast.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenFileTest {
  @TempDir Path directory;
  private final AtomicLong nanos = new AtomicLong();

  private static String line(String token) {
    return Tokens.line("somebody", Set.of(Role.ADMIN), List.of(), token);
  }

  @Test
  void a_changed_file_counts_from_the_next_look_and_a_broken_one_never() throws IOException {
    Path file = directory.resolve("tokens");
    Files.writeString(file, line("first"));
    TokenFile tokens = new TokenFile(file, nanos::get);

    Files.writeString(file, "# another one\n" + line("second"));
    assertThat(tokens.current().find("first")).isPresent();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(tokens.current().find("first")).isEmpty();
    assertThat(tokens.current().find("second")).isPresent();

    Files.writeString(file, "nonsense");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(tokens.current().find("second")).isPresent();

    Files.delete(file);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(tokens.current().find("second")).isPresent();
  }
}
