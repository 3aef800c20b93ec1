package io.holdfast.client.lock;

import io.holdfast.client.http.Channel;
import io.holdfast.client.http.Verbs;
import io.holdfast.lease.Hints;
import io.holdfast.lease.Reserve;
import io.holdfast.lease.Time;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockCapabilities;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Locks;

/** Locks of a server. */
public final class HttpLocks {
  private HttpLocks() {}

  /** Everything that locks need of a store, done by a server. */
  public static LockBackend backend(Channel channel, Time time) {
    Verbs verbs = new Verbs(channel, "locks", LockFailures::of);
    return new LockBackend(
        new HttpLockStore(verbs, time),
        new HttpLockAdmin(verbs),
        Hints.none(),
        Reserve.none(),
        time,
        LockCapabilities.of("http"));
  }

  /** Locks over a channel; the server removes expired rows, so these do not. */
  public static Locks over(Channel channel, Time time) {
    return LockService.over(
        backend(channel, time), LockOptions.DEFAULTS.withPurgeEvery(null).withHints(false));
  }
}
