package io.holdfast.postgres;

import io.holdfast.job.JobException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the tables of jobs are.
 *
 * @param schema of {@code th_jobs}, which TaskHarbor's clients may share; null: the schema in which
 *     the search path finds it, else the first of the path
 * @param ownSchema of everything else
 */
public record JobTables(@Nullable String schema, String ownSchema) {
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");
  private static final int MAX_NAME = 63;

  /** Where TaskHarbor's clients look, and {@code holdfast}. */
  public static final JobTables DEFAULTS = new JobTables(null, "holdfast");

  public JobTables {
    if (schema != null) {
      check(schema, "schema");
    }
    check(ownSchema, "ownSchema");
  }

  /** With {@code th_jobs} in a certain schema. */
  public JobTables inSchema(@Nullable String value) {
    return new JobTables(value, ownSchema);
  }

  /** With everything else in another schema. */
  public JobTables withOwnSchema(String value) {
    return new JobTables(schema, value);
  }

  private static void check(@Nullable String name, String what) {
    if (name == null || name.length() > MAX_NAME || !NAME.matcher(name).matches()) {
      throw JobException.invalid(
          what + " must be 1 to 63 letters, digits or underscores, not starting with a digit");
    }
  }
}
