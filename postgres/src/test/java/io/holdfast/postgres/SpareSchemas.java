package io.holdfast.postgres;

import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Schemas with tables and functions and nothing in them. To make one takes longer than most tests,
 * so an emptied one serves the next, unless a test changed more than a few rows. Safe for use by
 * many threads.
 */
final class SpareSchemas {
  /** All that a test could have changed besides rows; no row when the tables have grown large. */
  private static final String SHAPE =
      """
      SELECT md5(concat(
        (SELECT string_agg(concat(p.oid, p.prosrc), ' ' ORDER BY p.oid)
           FROM pg_proc AS p WHERE p.pronamespace = n.oid),
        (SELECT string_agg(concat(c.oid, c.relname, c.relpersistence, c.relnatts, c.reloptions,
                                  c.relchecks, c.relhastriggers), ' ' ORDER BY c.oid)
           FROM pg_class AS c WHERE c.relnamespace = n.oid)))
        FROM pg_namespace AS n
       WHERE n.nspname = '%s'
         AND 4e6 > (SELECT sum(pg_relation_size(c.oid)) FROM pg_class AS c WHERE c.relnamespace = n.oid)
      """;

  /** Makes a schema of a name. */
  private final Consumer<String> making;

  /** What deletes the rows of a schema; while they are few, quicker than truncating. */
  private final UnaryOperator<String> emptying;

  private final Deque<String> free = new ConcurrentLinkedDeque<>();
  private final Map<String, String> shapes = new ConcurrentHashMap<>();

  SpareSchemas(Consumer<String> making, UnaryOperator<String> emptying) {
    this.making = making;
    this.emptying = emptying;
  }

  /** An empty schema that nobody else uses until it is given back. */
  String borrow() {
    String spare = free.poll();
    return spare == null ? make() : spare;
  }

  private String make() {
    String schema = TestDatabase.unique("s");
    making.accept(schema);
    shapes.put(schema, shape(schema));
    return schema;
  }

  /** Empties it for the next, or drops it when more than a few rows are not what they were. */
  void giveBack(String schema) {
    if (shape(schema).equals(shapes.get(schema))) {
      TestDatabase.execute(emptying.apply(schema));
      free.push(schema);
    } else {
      TestDatabase.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
    }
  }

  /** Deletes the rows of these tables, after whoever still writes to them, and does the rest. */
  static String emptying(List<String> tables, String rest) {
    return """
    DO $$ BEGIN
      LOCK TABLE %s IN EXCLUSIVE MODE;
      DELETE FROM %s;
      %s;
    END $$
    """
        .formatted(String.join(", ", tables), String.join("; DELETE FROM ", tables), rest);
  }

  private static String shape(String schema) {
    return String.valueOf(TestDatabase.query(SHAPE.formatted(schema)));
  }
}
