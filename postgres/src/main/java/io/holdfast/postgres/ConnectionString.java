package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * Where a database is, in the driver's own spelling ({@code jdbc:postgresql:...}) or in that of
 * most other tools ({@code postgres://user:password@host:port/database}). Its password is never
 * shown.
 */
final class ConnectionString {
  /** One or more hosts, each with or without a port; java.net.URI knows only some of them. */
  private static final Pattern HOSTS =
      Pattern.compile("HOST(,HOST)*".replace("HOST", "([\\w.-]+|\\[[\\p{XDigit}:.%]+])(:\\d+)?"));

  private final String jdbcUrl;
  private final Properties properties;

  private ConnectionString(String jdbcUrl, Properties properties) {
    this.jdbcUrl = jdbcUrl;
    this.properties = properties;
  }

  static ConnectionString parse(@Nullable String text) {
    if (text == null || text.isBlank()) {
      throw invalid("the connection string is empty");
    }
    String jdbc = text.startsWith("jdbc:postgresql:") ? text : fromUri(text);
    checkHosts(jdbc);
    Properties properties = Driver.parseURL(jdbc, new Properties());
    if (properties == null) {
      throw invalid("the connection string is not one of PostgreSQL's");
    }
    return new ConnectionString(jdbc, properties);
  }

  String jdbcUrl() {
    return jdbcUrl;
  }

  /** A setting of the string, or null. */
  @Nullable String setting(PGProperty property) {
    return property.getOrDefault(properties);
  }

  /** Whether the string itself names the setting. */
  boolean names(PGProperty property) {
    return property.isPresent(properties);
  }

  private static String fromUri(String text) {
    if (!text.startsWith("postgres://") && !text.startsWith("postgresql://")) {
      throw invalid(
          "a connection string starts with jdbc:postgresql:, postgres:// or postgresql://");
    }
    URI uri = uri(text);
    String authority = uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    if (uri.getRawFragment() != null || path.indexOf('/', 1) >= 0) {
      throw malformed();
    }
    int at = authority.lastIndexOf('@');
    String hosts = authority.substring(at + 1);
    String query = uri.getRawQuery() == null ? "" : uri.getRawQuery();
    return "jdbc:postgresql://"
        + (hosts.isEmpty() ? "localhost" : hosts)
        + (path.isEmpty() ? "/" : encodePlus(path))
        + '?'
        + query
        + credentials(at < 0 ? null : authority.substring(0, at), query);
  }

  /** Before the driver does, which would log what it cannot read, perhaps with a password in it. */
  private static void checkHosts(String jdbc) {
    String place = jdbc.substring("jdbc:postgresql:".length());
    if (place.startsWith("//")) {
      String hosts = place.substring(2).split("[/?]", 2)[0];
      if (!hosts.isEmpty() && !HOSTS.matcher(hosts).matches()) {
        throw malformed();
      }
    }
  }

  private static String credentials(@Nullable String userInfo, String query) {
    if (userInfo == null || userInfo.isEmpty()) {
      return "";
    }
    // User and password come percent-encoded and are needed so in a JDBC URL as well.
    int colon = userInfo.indexOf(':');
    String user = colon < 0 ? userInfo : userInfo.substring(0, colon);
    String head = query.isEmpty() ? "user=" : "&user=";
    String plain = head + encodePlus(user);
    return colon < 0 ? plain : plain + "&password=" + encodePlus(userInfo.substring(colon + 1));
  }

  /** In a URI a plus is itself; in a query the driver would read it as a blank. */
  private static String encodePlus(String text) {
    return text.replace("+", "%2B").replace("&", "%26");
  }

  private static URI uri(String text) {
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      // The exception's own message would show the password.
      throw malformed();
    }
  }

  private static HoldfastException malformed() {
    return invalid("the connection string is not a valid URI; percent-encode special characters");
  }

  private static HoldfastException invalid(String message) {
    return new HoldfastException(ErrorCode.INVALID_ARGUMENT, message, null);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ConnectionString that && that.properties.equals(properties);
  }

  @Override
  public int hashCode() {
    return properties.hashCode();
  }

  /** Without user or password. */
  @Override
  public String toString() {
    return "postgresql://"
        + setting(PGProperty.PG_HOST)
        + ":"
        + setting(PGProperty.PG_PORT)
        + "/"
        + setting(PGProperty.PG_DBNAME);
  }
}
