/**
 * Queues: a lease on an item. Producers append items, consumers lease them for a limited time and
 * then complete, retry or lose them; what cannot be processed goes to a dead queue. The id of an
 * item is the token of its lease: every way of losing the lease replaces it. Start at {@link
 * io.holdfast.queue.Queues}; a store implements {@link io.holdfast.queue.QueueCatalog} and {@link
 * io.holdfast.queue.PartitionStore}.
 */
@NullMarked
package io.holdfast.queue;

import org.jspecify.annotations.NullMarked;
