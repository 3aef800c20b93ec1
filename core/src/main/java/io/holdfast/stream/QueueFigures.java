package io.holdfast.stream;

/**
 * How large a queue is.
 *
 * @param pushed messages that were ever pushed
 * @param retained of those: still there
 * @param dead dead letters
 */
public record QueueFigures(String queue, long partitions, long pushed, long retained, long dead) {}
