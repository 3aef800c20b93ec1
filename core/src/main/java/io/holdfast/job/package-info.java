/**
 * Background jobs: durable, retried, explainable, and enqueued or completed in the caller's own
 * transaction when that is wanted. For anyone who runs work outside a request. Start at {@link
 * io.holdfast.job.Jobs}; a store implements the roles in {@link io.holdfast.job.JobBackend}.
 */
@NullMarked
package io.holdfast.job;

import org.jspecify.annotations.NullMarked;
