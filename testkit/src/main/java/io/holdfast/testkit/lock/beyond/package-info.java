/**
 * The contract of what goes beyond a plain lock: renewal with a loss signal, waiting, the adapters
 * of {@link java.util.concurrent.locks.Lock}, and grants whose answer was lost. A store's test
 * extends each suite and gives it a {@link io.holdfast.testkit.lock.LockSubject}; start with {@link
 * io.holdfast.testkit.lock.beyond.RenewingLockContract}.
 */
@NullMarked
package io.holdfast.testkit.lock.beyond;

import org.jspecify.annotations.NullMarked;
