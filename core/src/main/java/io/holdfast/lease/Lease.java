package io.holdfast.lease;

import java.time.Duration;

/** Permission for the holder of {@code token} to act on {@code key}, for {@code ttl} at a time. */
public record Lease(LeaseKey key, LeaseToken token, Duration ttl) {}
