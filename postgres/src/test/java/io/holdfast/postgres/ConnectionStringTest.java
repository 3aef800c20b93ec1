package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGProperty;

/** Every spelling of a place means that place, and none gives its password away. */
class ConnectionStringTest {
  private static final String SECRET = "hunter2";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db.example:6432/shop?user=ann&password=hunter2",
        "postgres://ann:hunter2@db.example:6432/shop",
        "postgresql://ann:hunter2@db.example:6432/shop",
      })
  void three_spellings_name_the_same_place(String text) {
    ConnectionString where = ConnectionString.parse(text);

    assertThat(where.jdbcUrl()).startsWith("jdbc:postgresql://db.example:6432/shop");
    assertThat(where.setting(PGProperty.PG_HOST)).isEqualTo("db.example");
    assertThat(where.setting(PGProperty.PG_PORT)).isEqualTo("6432");
    assertThat(where.setting(PGProperty.PG_DBNAME)).isEqualTo("shop");
    assertThat(where.setting(PGProperty.USER)).isEqualTo("ann");
    assertThat(where.setting(PGProperty.PASSWORD)).isEqualTo(SECRET);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "+",
        "&",
        "@",
        ":",
        "/",
        "%",
        "?",
        "#",
        "=",
        " ",
        "a+b&c@d:e/f%g?h#i=j k",
        "%41",
        "%2B",
        "ü€🔒"
      })
  void special_characters_reach_the_server_as_they_are(String special) {
    String user = "u" + special;
    String password = "p" + special + "w";

    ConnectionString uri =
        ConnectionString.parse("postgres://" + percent(user) + ":" + percent(password) + "@h/db");
    ConnectionString jdbc =
        ConnectionString.parse(
            "jdbc:postgresql://h/db?user=" + percent(user) + "&password=" + percent(password));

    assertThat(uri.setting(PGProperty.USER)).isEqualTo(user);
    assertThat(uri.setting(PGProperty.PASSWORD)).isEqualTo(password);
    assertThat(uri).isEqualTo(jdbc);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a+b", "a&b", "p:q", "$!*'();,="})
  void a_uri_may_leave_harmless_characters_of_its_password_as_they_are(String password) {
    ConnectionString where = ConnectionString.parse("postgres://ann:" + password + "@h/db");

    assertThat(where.setting(PGProperty.USER)).isEqualTo("ann");
    assertThat(where.setting(PGProperty.PASSWORD)).isEqualTo(password);
  }

  @Test
  void a_database_may_have_any_name() {
    for (String name : new String[] {"a+b", "100%", "my shop", "größe", "a%41", "x?y"}) {
      ConnectionString uri = ConnectionString.parse("postgres://h/" + percent(name));
      ConnectionString jdbc = ConnectionString.parse("jdbc:postgresql://h/" + percent(name));

      assertThat(uri.setting(PGProperty.PG_DBNAME)).isEqualTo(name);
      assertThat(uri).isEqualTo(jdbc);
      assertThat(uri).hasToString("postgresql://h:5432/" + name);
    }
  }

  @Test
  void a_plus_in_the_path_of_a_uri_is_a_plus() {
    assertThat(ConnectionString.parse("postgres://h/a+b").setting(PGProperty.PG_DBNAME))
        .isEqualTo("a+b");
  }

  @Test
  void sslmode_and_every_other_parameter_is_kept() {
    String parameters = "?sslmode=verify-full&ApplicationName=a%26b&socketTimeout=7";

    ConnectionString uri = ConnectionString.parse("postgres://ann@h/db" + parameters);
    ConnectionString jdbc =
        ConnectionString.parse("jdbc:postgresql://h/db" + parameters + "&user=ann");

    assertThat(uri).isEqualTo(jdbc);
    assertThat(uri.setting(PGProperty.SSL_MODE)).isEqualTo("verify-full");
    assertThat(uri.setting(PGProperty.APPLICATION_NAME)).isEqualTo("a&b");
    assertThat(uri.setting(PGProperty.SOCKET_TIMEOUT)).isEqualTo("7");
    assertThat(uri.names(PGProperty.SSL_MODE)).isTrue();
    assertThat(uri.names(PGProperty.CONNECT_TIMEOUT)).isFalse();
  }

  @Test
  void what_the_string_names_wins_over_our_defaults() {
    ConnectionString named =
        ConnectionString.parse(
            "postgres://h/db?connectTimeout=7&loginTimeout=8&ApplicationName=mine&tcpKeepAlive=false");

    PgSource given = new PgSource(named, Duration.ofSeconds(30));
    PgSource ours = new PgSource(ConnectionString.parse("postgres://h/db"), Duration.ofSeconds(30));

    assertThat(given.getConnectTimeout()).isEqualTo(7);
    assertThat(given.getLoginTimeout()).isEqualTo(8);
    assertThat(given.getApplicationName()).isEqualTo("mine");
    assertThat(given.getTcpKeepAlive()).isFalse();
    assertThat(ours.getConnectTimeout()).isEqualTo(30);
    assertThat(ours.getLoginTimeout()).isEqualTo(30);
    assertThat(ours.getApplicationName()).isEqualTo("holdfast");
    assertThat(ours.getTcpKeepAlive()).isTrue();
  }

  @Test
  void a_pooler_gets_no_start_up_options_and_no_kept_statements() {
    PoolSettings pooled = PoolSettings.DEFAULTS.withPooler(true);
    ConnectionString plain = ConnectionString.parse("postgres://h/db");
    ConnectionString named = ConnectionString.parse("postgres://h/db?prepareThreshold=3");

    assertThat(new PgSource(plain, pooled).getOptions()).isNull();
    assertThat(new PgSource(plain, pooled).getPrepareThreshold()).isZero();
    assertThat(new PgSource(named, pooled).getPrepareThreshold()).isEqualTo(3);
    assertThat(new PgSource(plain, PoolSettings.DEFAULTS).getOptions()).contains("jit=off");
    assertThat(new PgSource(plain, PoolSettings.DEFAULTS).getPrepareThreshold()).isPositive();
  }

  @Test
  void the_default_port_and_host_are_postgresqls() {
    assertThat(place("jdbc:postgresql:db")).isEqualTo("localhost:5432");
    assertThat(place("postgres:///db")).isEqualTo("localhost:5432");
    assertThat(place("postgres://h/db")).isEqualTo("h:5432");
    assertThat(place("postgresql://h:6000/db")).isEqualTo("h:6000");
    assertThat(place("postgres://[::1]/db")).isEqualTo("[::1]:5432");
    assertThat(place("postgres://[::1]:6000/db")).isEqualTo("[::1]:6000");
  }

  /** A host that is not understood must never become localhost. */
  @Test
  void a_host_with_an_underscore_is_that_host() {
    assertThat(place("postgres://ann:hunter2@my_db:6000/shop")).isEqualTo("my_db:6000");
    ConnectionString where = ConnectionString.parse("postgres://ann:hunter2@my_db:6000/shop");
    assertThat(where.setting(PGProperty.USER)).isEqualTo("ann");
  }

  @Test
  void several_hosts_are_all_kept() {
    ConnectionString where =
        ConnectionString.parse("postgres://ann:hunter2@one:6001,two:6002/shop");

    assertThat(where.setting(PGProperty.PG_HOST)).isEqualTo("one,two");
    assertThat(where.setting(PGProperty.PG_PORT)).isEqualTo("6001,6002");
    assertThat(where.setting(PGProperty.USER)).isEqualTo("ann");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  ",
        "hunter2",
        "mysql://ann:hunter2@h/db",
        "jdbc:mysql://h/db?password=hunter2",
        "POSTGRES://ann:hunter2@h/db",
        "postgres:ann:hunter2@h/db",
        "postgres://",
        "postgres://ann:hunter2 @h/db",
        "postgres://ann:hunter2%zz@h/db",
        "postgres://ann:hunter2@h:99999/db",
        "postgres://ann:hunter2@h:port/db",
        "postgres://ann:hunter2@h:0/db",
        "postgres://ann:/hunter2@h/db",
        "postgres://ann:x/hunter2@h/db",
        "postgres://ann:1/hunter2@h/db",
        "postgres://ann:#hunter2@h/db",
        "postgres://ann:x#hunter2@h/db",
        "jdbc:postgresql://ann:hunter2@h/db",
        "jdbc:postgresql://h:99999/db?password=hunter2",
        "jdbc:postgresql://h/db?password=hunter2%zz",
      })
  void a_bad_string_is_an_invalid_argument_that_does_not_show_the_password(String text) {
    StringBuilder logged = new StringBuilder();
    HoldfastException refusal =
        whileReadingTheDriversLog(
            logged,
            () ->
                catchThrowableOfType(HoldfastException.class, () -> ConnectionString.parse(text)));

    assertThat(refusal).as(text).isNotNull();
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    for (Throwable t = refusal; t != null; t = t.getCause()) {
      assertThat(t.getMessage()).doesNotContain(SECRET);
    }
    assertThat(logged.toString()).doesNotContain(SECRET);
  }

  @Test
  void null_is_an_invalid_argument() {
    HoldfastException refusal =
        catchThrowableOfType(HoldfastException.class, () -> ConnectionString.parse(null));

    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgres://ann:hunter2@h/db",
        "jdbc:postgresql://h/db?user=ann&password=hunter2",
        "postgres://h/db?user=ann&password=hunter2&sslpassword=hunter2",
      })
  void its_text_shows_neither_user_nor_password(String text) {
    assertThat(ConnectionString.parse(text)).hasToString("postgresql://h:5432/db");
  }

  /** Equality decides which users share a pool. */
  @Test
  void strings_are_equal_when_they_mean_the_same_connections() {
    ConnectionString one =
        ConnectionString.parse("postgres://ann:hunter2@h/db?sslmode=require&ApplicationName=x");
    ConnectionString same =
        ConnectionString.parse(
            "jdbc:postgresql://h:5432/db?ApplicationName=x&user=ann&password=hunter2&sslmode=require");

    assertThat(one).isEqualTo(same).hasSameHashCodeAs(same);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgres://bob:hunter2@h/db",
        "postgres://ann:other@h/db",
        "postgres://ann:hunter2@g/db",
        "postgres://ann:hunter2@h:6000/db",
        "postgres://ann:hunter2@h/other",
        "postgres://ann:hunter2@h/db?sslmode=require",
      })
  void strings_differ_when_their_connections_would(String other) {
    assertThat(ConnectionString.parse(other))
        .isNotEqualTo(ConnectionString.parse("postgres://ann:hunter2@h/db"));
  }

  private static <T> T whileReadingTheDriversLog(StringBuilder log, Supplier<T> work) {
    Logger driver = Logger.getLogger("org.postgresql");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            log.append(new SimpleFormatter().formatMessage(line)).append('\n');
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    driver.addHandler(handler);
    try {
      return work.get();
    } finally {
      driver.removeHandler(handler);
    }
  }

  private static String place(String text) {
    ConnectionString where = ConnectionString.parse(text);
    return where.setting(PGProperty.PG_HOST) + ":" + where.setting(PGProperty.PG_PORT);
  }

  private static String percent(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
