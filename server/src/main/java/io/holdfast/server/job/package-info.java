/** Jobs over HTTP: translates between the wire and {@link io.holdfast.job.Jobs}. */
@NullMarked
package io.holdfast.server.job;

import org.jspecify.annotations.NullMarked;
