/**
 * The store that matters: Holdfast on PostgreSQL. Start at {@link
 * io.holdfast.postgres.PostgresHoldfast}; the SQL of each transition is a resource beside this
 * package, named and called in {@code LockSql}. Nothing here keeps session state, so a
 * transaction-mode pooler works.
 */
@NullMarked
package io.holdfast.postgres;

import org.jspecify.annotations.NullMarked;
