package io.holdfast.examples;

import io.holdfast.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The database of an example: the one its first argument names, or an embedded one. */
final class ExampleDatabase implements AutoCloseable {
  private final @Nullable EmbeddedPostgres embedded;
  private final String url;

  private ExampleDatabase(@Nullable EmbeddedPostgres embedded, String url) {
    this.embedded = embedded;
    this.url = url;
  }

  static ExampleDatabase of(String... args) {
    if (args.length > 0) {
      return new ExampleDatabase(null, args[0]);
    }
    EmbeddedPostgres server = EmbeddedPostgres.open(Path.of("holdfast-data"));
    return new ExampleDatabase(server, server.jdbcUrl());
  }

  String url() {
    return url;
  }

  @Override
  public void close() {
    if (embedded != null) {
      embedded.close();
    }
  }
}
