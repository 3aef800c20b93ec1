package io.holdfast.stream;

import org.jspecify.annotations.Nullable;

/**
 * How much waits in a queue.
 *
 * @param depth messages that the slowest active group has not passed; without any group: all
 * @param maxSize 0 is unlimited
 * @param remaining null when unlimited
 */
public record Depth(String queue, long depth, long maxSize, @Nullable Long remaining) {}
