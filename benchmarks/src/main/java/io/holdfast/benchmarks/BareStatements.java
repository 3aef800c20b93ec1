package io.holdfast.benchmarks;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.Properties;
import org.postgresql.PGProperty;

/** The statements of one queue on one connection, prepared once and with nothing around them. */
final class BareStatements implements AutoCloseable {
  private static final String OPTIONS = "-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off";

  private final String queue;
  private final Connection connection;
  private final PreparedStatement produce;
  private final PreparedStatement claim;
  private final PreparedStatement complete;
  private long number;
  private String hint = "";

  BareStatements(Place place, BenchQueue queue) throws SQLException {
    this.queue = queue.queue().name();
    connection = connect(place);
    BareSql sql = new BareSql(queue.table());
    produce = connection.prepareStatement(sql.produce);
    claim = connection.prepareStatement(sql.claim);
    complete = connection.prepareStatement(sql.complete);
  }

  /** A connection with the planner settings of the store's own. */
  static Connection connect(Place place) throws SQLException {
    Properties properties = new Properties();
    PGProperty.OPTIONS.set(properties, OPTIONS);
    return DriverManager.getConnection(place.url(), properties);
  }

  /** Inserts one item. */
  void produce() throws SQLException {
    String[] nothing = {""};
    produce.setNull(1, Types.TIMESTAMP_WITH_TIMEZONE);
    produce.setString(2, queue);
    produce.setLong(3, 0);
    String suffix = Targets.text("%06dBareSession", number++ % 1_000_000);
    produce.setArray(4, connection.createArrayOf("text", new String[] {suffix}));
    produce.setArray(5, connection.createArrayOf("timestamptz", new String[] {null}));
    for (int i = 6; i <= 8; i++) {
      produce.setArray(i, connection.createArrayOf("text", nothing));
    }
    produce.setArray(9, connection.createArrayOf("bytea", new byte[][] {BenchQueue.PAYLOAD}));
    try (ResultSet row = produce.executeQuery()) {
      row.next();
      row.getString(1);
    }
  }

  /** Claims from where the last claim began, and answers the ids. */
  String[] claim(int limit) throws SQLException {
    claim.setNull(1, Types.TIMESTAMP_WITH_TIMEZONE);
    claim.setString(2, queue);
    claim.setString(3, hint);
    claim.setInt(4, limit);
    String[] ids = Claimed.ids(claim);
    if (ids.length > 0) {
      hint = ids[0];
    }
    return ids;
  }

  /** Ends leases as one request. */
  void complete(String[] ids) throws SQLException {
    Integer[] requests = new Integer[ids.length];
    Arrays.fill(requests, 0);
    complete.setString(1, queue);
    complete.setArray(2, connection.createArrayOf("int4", requests));
    complete.setArray(3, connection.createArrayOf("text", ids));
    try (ResultSet row = complete.executeQuery()) {
      if (!row.next() || row.getInt("removed") != ids.length) {
        throw new IllegalStateException("the bare statement lost a lease");
      }
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
