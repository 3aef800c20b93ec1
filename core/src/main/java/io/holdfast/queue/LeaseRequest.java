package io.holdfast.queue;

import java.time.Duration;

/**
 * A wish for items.
 *
 * @param clientId names the asker; one client may wait only once per queue and process
 * @param batchSize at most so many items, 1 to 1000
 * @param timeout how long to wait while there are none: more than 10 ms, at most 15 minutes
 */
public record LeaseRequest(String clientId, int batchSize, Duration timeout) {}
