package io.holdfast.job;

/**
 * A job as a store is to insert it: checked, with its id, its queue and its trimmed keys. Of its
 * draft, everything else counts.
 *
 * @param keys blank ones are null; without a limit key, the queue's default counts
 */
public record JobRow(String id, String queue, JobSpec.Keys keys, NewJob draft) {}
