/** The memory store against the promises of queues. */
@NullMarked
package io.holdfast.testkit.queue;

import org.jspecify.annotations.NullMarked;
