/**
 * Locks over HTTP: the records of the wire, and what speaks it. Start with {@link
 * io.holdfast.client.lock.LockWire}.
 */
@NullMarked
package io.holdfast.client.lock;

import org.jspecify.annotations.NullMarked;
