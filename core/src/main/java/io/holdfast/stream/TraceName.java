package io.holdfast.stream;

import java.time.Instant;

/**
 * A name that notes were made under.
 *
 * @param notes how many
 * @param messages about how many messages
 * @param lastAt when the last was made
 */
public record TraceName(String name, long notes, long messages, Instant lastAt) {}
