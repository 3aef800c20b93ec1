package io.holdfast.benchmarks;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads what a claim answers, payloads too, as every consumer would. */
final class Claimed {
  private Claimed() {}

  /** Runs it and answers the ids, sorted. */
  static String[] ids(PreparedStatement claim) throws SQLException {
    List<String> ids = new ArrayList<>();
    try (ResultSet rows = claim.executeQuery()) {
      while (rows.next()) {
        String id = rows.getString("id");
        if (id != null && rows.getBytes("payload") != null) {
          ids.add(id);
        }
      }
    }
    return ids.stream().sorted().toArray(String[]::new);
  }
}
