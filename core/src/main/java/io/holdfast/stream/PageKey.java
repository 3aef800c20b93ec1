package io.holdfast.stream;

import java.time.Instant;
import java.util.UUID;

/** The last row of a page, newest first; the next page begins behind it. */
public record PageKey(Instant at, UUID id) {}
