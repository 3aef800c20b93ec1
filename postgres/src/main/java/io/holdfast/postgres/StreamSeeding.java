package io.holdfast.postgres;

import java.sql.SQLException;

/** Gives groups cursors where they have none, step by step. */
final class StreamSeeding {
  /** Most groups have all their cursors; those cost no more than this look. */
  private static final String IS_LEFT =
      """
      SELECT EXISTS (SELECT FROM holdfast.stream_subscription
                      WHERE queue_id = ? AND id = ? AND name IS NOT NULL AND NOT seeded)
      """;

  private static final String SEED =
      "SELECT holdfast.stream_seed_v2(?, ?, ?, nullif(?::bigint, 0))";

  private StreamSeeding() {}

  /** Whether the group is there and has no cursor yet in some partitions. */
  static boolean isLeft(StreamStatements statements, Watch watch, int queue, long group)
      throws SQLException {
    Boolean isLeft =
        statements.first(
            watch, IS_LEFT, binds -> binds.integer(queue).number(group), row -> row.getBoolean(1));
    return isLeft != null && isLeft;
  }

  /**
   * One step, or with a partition that one alone; answers how many cursors it made. Another one
   * under way is left alone.
   */
  static int step(StreamStatements statements, Watch watch, int queue, long group, long partition)
      throws SQLException {
    return statements.number(
        watch,
        SEED,
        binds ->
            binds.now(statements.kernel().time()).integer(queue).number(group).number(partition));
  }
}
