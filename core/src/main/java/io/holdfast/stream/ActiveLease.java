package io.holdfast.stream;

import java.time.Instant;
import java.util.UUID;

/** A partition that is held now. */
public record ActiveLease(
    CursorKey cursor,
    UUID leaseId,
    long fence,
    Instant startedAt,
    Instant expiresAt,
    int messages) {}
