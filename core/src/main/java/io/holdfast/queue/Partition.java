package io.holdfast.queue;

/**
 * One partition of a queue in a store: its items and every way they change. Hot methods take a
 * batch of requests and answer each by itself; a failure of the store is one exception for all.
 * Every failure is a {@link QueueException}; one of kind INVALID that is not about a single request
 * says that the queue does not exist. Safe for use by many threads.
 */
public interface Partition
    extends ItemProducer,
        ItemLeaser,
        ItemSettler,
        ItemBrowser,
        ItemAdmin,
        ItemLifecycle,
        PartitionHandle {}
