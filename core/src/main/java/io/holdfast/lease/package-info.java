/**
 * The kernel: a lease is permission for one holder to act on one thing, until a moment, under a
 * number that only grows. {@link io.holdfast.lease.LeaseKeeper} renews leases and tells holders of
 * their loss; {@link io.holdfast.lease.Time} is the only source of time; {@link
 * io.holdfast.lease.DutyRunner} the only owner of threads. Every capability stands on this package
 * and it knows none of them.
 */
@NullMarked
package io.holdfast.lease;

import org.jspecify.annotations.NullMarked;
