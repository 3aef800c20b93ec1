package io.holdfast.job;

/**
 * What became of a wish about many.
 *
 * @param count how many it was done to
 * @param more whether there are others
 */
public record Bulk(int count, boolean more) {}
