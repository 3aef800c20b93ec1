package io.holdfast.stream;

import java.time.Instant;

/**
 * A consumer group of a queue.
 *
 * @param start where it started
 * @param lag messages it has not passed; an upper bound while it is being seeded
 * @param isSeeded whether it has a cursor in every partition
 * @param isAbandoned whether it has been silent for so long that it holds back nothing
 */
public record GroupInfo(
    String queue,
    String name,
    Start start,
    long lag,
    boolean isSeeded,
    boolean isAbandoned,
    Instant createdAt,
    Instant lastSeenAt) {}
