/**
 * Streams over HTTP: the records of the wire, which the server uses too, and the client. The wire
 * is Queen's, with additions of ours; see the guide to streams.
 */
@NullMarked
package io.holdfast.client.stream;

import org.jspecify.annotations.NullMarked;
