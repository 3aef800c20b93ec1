/**
 * Ordered streams: partitions of messages that every consumer group reads through a cursor of its
 * own, leased to one consumer of the group at a time. Readers start at {@link
 * io.holdfast.stream.Streams}; store authors at {@link io.holdfast.stream.StreamStore}, whose roles
 * each hold a few atomic transitions.
 */
@NullMarked
package io.holdfast.stream;

import org.jspecify.annotations.NullMarked;
