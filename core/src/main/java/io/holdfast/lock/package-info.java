/**
 * Locks: a lease on a key. At most one live lease per key, granted with a fence (a number that only
 * grows) and an expiry on the store's clock. Start at {@link io.holdfast.lock.Locks}; a store
 * implements {@link io.holdfast.lock.LockStore} and {@link io.holdfast.lock.LockAdmin}.
 */
@NullMarked
package io.holdfast.lock;

import org.jspecify.annotations.NullMarked;
