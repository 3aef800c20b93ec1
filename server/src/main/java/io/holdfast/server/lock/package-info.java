/** Locks over HTTP: translates between the wire and {@link io.holdfast.lock.Locks}. */
@NullMarked
package io.holdfast.server.lock;

import org.jspecify.annotations.NullMarked;
