/** Work queues over HTTP: the messages of the wire, and queues that send them. */
@NullMarked
package io.holdfast.client.queue;

import org.jspecify.annotations.NullMarked;
