package io.holdfast.lock;

import io.holdfast.lease.Fence;
import java.time.Instant;

/** A live lock as anybody may see it: key and id only as {@link DisplayHash}. */
public record LockInfo(
    String keyHash, String lockIdHash, Fence fence, Instant expiresAt, Instant acquiredAt) {}
