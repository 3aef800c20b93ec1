package io.holdfast.job;

import org.jspecify.annotations.Nullable;

/**
 * What became of a wish to requeue a job.
 *
 * @param error {@code JOB_NOT_FOUND}, {@code QUEUE_MISMATCH}, {@code JOB_NOT_REQUEUEABLE}; null: it
 *     was requeued
 */
public record Requeued(String id, @Nullable JobError error) {}
