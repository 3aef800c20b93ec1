package io.holdfast.lock;

import io.holdfast.lease.Hints;
import io.holdfast.lease.Reserve;
import io.holdfast.lease.Time;

/** Everything {@link Locks} need of one store. */
public record LockBackend(
    LockStore store,
    LockAdmin admin,
    Hints hints,
    Reserve reserve,
    Time time,
    LockCapabilities capabilities) {}
