package io.holdfast.job;

/**
 * What became of a job that was enqueued.
 *
 * @param id the job's, or that of the job that holds its idempotency key
 * @param existed whether nothing was stored because that job was there
 */
public record Enqueued(String id, boolean existed) {}
