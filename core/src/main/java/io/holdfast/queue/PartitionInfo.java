package io.holdfast.queue;

/** One part of a queue: its number, the storage it lives in, and whether it takes new items. */
public record PartitionInfo(int number, String storage, boolean readOnly) {}
