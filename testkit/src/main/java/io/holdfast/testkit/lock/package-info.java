/**
 * The contract of locks. A store's test extends the suites and gives them a {@link LockSubject}.
 */
@NullMarked
package io.holdfast.testkit.lock;

import org.jspecify.annotations.NullMarked;
