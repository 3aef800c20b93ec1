/**
 * Work queues over HTTP, on the wire of Querator, whose clients work unchanged. Start with {@link
 * io.holdfast.server.queue.QueueApi}.
 */
@NullMarked
package io.holdfast.server.queue;

import org.jspecify.annotations.NullMarked;
