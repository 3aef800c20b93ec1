package io.holdfast.postgres;

import io.holdfast.queue.Changes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a statement did with items whose lease or time is over, and what it leaves to be moved to
 * the dead queue in the same transaction.
 */
record Outcome(
    int ready,
    @Nullable String firstReady,
    int removed,
    @Nullable String deadQueue,
    int deadPartitions,
    List<String> deadIds,
    List<String> deadReasons) {

  static Outcome of(ResultSet row) throws SQLException {
    return new Outcome(
        row.getInt("ready"),
        row.getString("first_ready"),
        row.getInt("removed"),
        row.getString("dead"),
        row.getInt("dead_partitions"),
        ItemRows.texts(row, "dead_ids"),
        ItemRows.texts(row, "dead_reasons"));
  }

  /** Without what is still to be moved. */
  Changes changes(int unready) {
    return new Changes(ready, firstReady, unready, removed, List.of());
  }
}
