/**
 * The promises of queues as test suites: a store proves itself by extending each of them. Start at
 * {@link io.holdfast.testkit.queue.QueueSuite}.
 */
@NullMarked
package io.holdfast.testkit.queue;

import org.jspecify.annotations.NullMarked;
