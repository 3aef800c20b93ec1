package io.holdfast.postgres;

import io.holdfast.lease.Time;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Binds the parameters of a statement in the order in which it names them. */
final class Binds {
  private final PreparedStatement statement;
  private final Connection connection;
  private int next = 1;

  private Binds(PreparedStatement statement, Connection connection) {
    this.statement = statement;
    this.connection = connection;
  }

  static Binds of(PreparedStatement statement) throws SQLException {
    return new Binds(statement, statement.getConnection());
  }

  /** The manual instant that replaces the database's clock, or null for that clock. */
  Binds now(Time time) throws SQLException {
    OptionalLong manual = time.databaseMs();
    return at(manual.isPresent() ? Instant.ofEpochMilli(manual.getAsLong()) : null);
  }

  Binds at(@Nullable Instant value) throws SQLException {
    if (value == null) {
      statement.setNull(next++, Types.TIMESTAMP_WITH_TIMEZONE);
    } else {
      statement.setObject(next++, OffsetDateTime.ofInstant(value, ZoneOffset.UTC));
    }
    return this;
  }

  Binds text(@Nullable String value) throws SQLException {
    statement.setString(next++, value);
    return this;
  }

  Binds number(long value) throws SQLException {
    statement.setLong(next++, value);
    return this;
  }

  Binds integer(int value) throws SQLException {
    statement.setInt(next++, value);
    return this;
  }

  Binds flag(boolean value) throws SQLException {
    statement.setBoolean(next++, value);
    return this;
  }

  Binds data(byte @Nullable [] value) throws SQLException {
    statement.setBytes(next++, value);
    return this;
  }

  Binds texts(List<? extends @Nullable String> values) throws SQLException {
    return array("text", values.toArray(new String[0]));
  }

  Binds uuid(@Nullable UUID value) throws SQLException {
    statement.setObject(next++, value, Types.OTHER);
    return this;
  }

  Binds numberOrNull(@Nullable Long value) throws SQLException {
    statement.setObject(next++, value, Types.BIGINT);
    return this;
  }

  Binds uuids(@Nullable List<? extends @Nullable UUID> values) throws SQLException {
    return values == null ? noArray() : array("uuid", values.toArray(new UUID[0]));
  }

  /** The same as {@link #integers}, or null. */
  Binds integersOrNull(@Nullable List<Integer> values) throws SQLException {
    return values == null ? noArray() : integers(values);
  }

  /** The same as {@link #texts}, or null. */
  Binds textsOrNull(@Nullable List<? extends @Nullable String> values) throws SQLException {
    return values == null ? noArray() : texts(values);
  }

  private Binds noArray() throws SQLException {
    statement.setNull(next++, Types.ARRAY);
    return this;
  }

  Binds integers(List<Integer> values) throws SQLException {
    return array("int4", values.toArray(new Integer[0]));
  }

  Binds numbers(List<? extends @Nullable Long> values) throws SQLException {
    return array("int8", values.toArray(new Long[0]));
  }

  Binds flags(List<Boolean> values) throws SQLException {
    return array("bool", values.toArray(new Boolean[0]));
  }

  Binds bytes(List<byte[]> values) throws SQLException {
    return array("bytea", values.toArray(new byte[0][]));
  }

  /** Truncated to what the database can store, which would round them. */
  Binds instants(List<? extends @Nullable Instant> values) throws SQLException {
    String[] texts = new String[values.size()];
    for (int i = 0; i < texts.length; i++) {
      Instant value = values.get(i);
      texts[i] = value == null ? null : value.truncatedTo(ChronoUnit.MICROS).toString();
    }
    return array("timestamptz", texts);
  }

  private Binds array(String type, Object[] values) throws SQLException {
    statement.setArray(next++, connection.createArrayOf(type, values));
    return this;
  }
}
