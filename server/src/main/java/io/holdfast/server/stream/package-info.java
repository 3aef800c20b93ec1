/**
 * Streams over HTTP: the message plane and the administration of Queen's wire, what we add to it,
 * and exact calls for the client of ours. Start at {@link io.holdfast.server.stream.StreamApi}.
 */
@NullMarked
package io.holdfast.server.stream;

import org.jspecify.annotations.NullMarked;
