package io.holdfast.queue;

import java.util.List;

/** Where a produce went: all its items are in one partition, their ids in the order given. */
public record Produced(int partition, List<String> ids) {}
