package io.holdfast.postgres;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What one call does with its connection. */
@FunctionalInterface
interface SqlWork<T extends @Nullable Object> {
  T run(Watch watch) throws SQLException;
}
