package io.holdfast.queue;

/** What a redrive did: items returned to their source, and items that name none or a lost one. */
public record Redriven(long moved, long skipped) {}
