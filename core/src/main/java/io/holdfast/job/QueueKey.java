package io.holdfast.job;

/** A limit key of a queue. */
public record QueueKey(String queue, String key) {}
