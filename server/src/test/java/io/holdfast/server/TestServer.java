package io.holdfast.server;

import io.holdfast.embedded.EmbeddedOptions;
import io.holdfast.embedded.EmbeddedPostgres;

/** The PostgreSQL of the server's tests, which lives as long as the JVM. */
public final class TestServer {
  private static final EmbeddedPostgres POSTGRES =
      EmbeddedPostgres.temporary(
          EmbeddedOptions.defaults()
              .withSetting("fsync", "off")
              .withSetting("full_page_writes", "off"));

  private TestServer() {}

  /** Where it is reached. */
  public static String url() {
    return POSTGRES.jdbcUrl();
  }
}
