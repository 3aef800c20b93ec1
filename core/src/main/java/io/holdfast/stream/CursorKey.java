package io.holdfast.stream;

/** Which cursor: a group's place in a partition of a queue. */
public record CursorKey(String queue, String partition, String group) {}
