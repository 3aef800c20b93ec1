/**
 * Jobs over HTTP: the records of the wire, and what speaks it. Start with {@link
 * io.holdfast.client.job.JobWire}.
 */
@NullMarked
package io.holdfast.client.job;

import org.jspecify.annotations.NullMarked;
