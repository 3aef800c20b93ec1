/**
 * Proves that concurrent calls behaved like calls made one after the other: a recorder for what
 * happened, a model of what may happen, and a search for an order that explains the one by the
 * other. Start at {@link io.holdfast.testkit.history.Linearizability}; queues have their own model
 * in {@link io.holdfast.testkit.history.QueueHistory}.
 */
@NullMarked
package io.holdfast.testkit.history;

import org.jspecify.annotations.NullMarked;
