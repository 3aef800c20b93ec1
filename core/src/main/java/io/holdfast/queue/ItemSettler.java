package io.holdfast.queue;

import io.holdfast.lease.StoreCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code leased → gone}, or back with another try: all items of a request, or none. */
public interface ItemSettler {
  /** Deletes the items of each request that holds all of them. */
  Settled complete(List<List<String>> requests, StoreCall call);

  /** Returns, schedules or dead-letters the items of each request that holds all of them. */
  Settled retry(List<List<Retry>> requests, StoreCall call);

  /**
   * What became of it.
   *
   * @param faults per request, null where it was done
   * @param changes what all requests together changed
   */
  record Settled(List<@Nullable Fault> faults, Changes changes) {}
}
