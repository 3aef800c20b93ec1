package io.holdfast.queue;

import io.holdfast.lease.Lease;
import io.holdfast.lease.LeaseKeeper;
import io.holdfast.lease.LeaseToken;
import io.holdfast.lease.Renewal;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Renews a consumer's items with calls that share statements. */
record ItemRenewer(Queue queue) implements LeaseKeeper.Renewer {
  /** What renews an item's lease: its id, in its partition. */
  record ItemToken(String text, int partition) implements LeaseToken {}

  @Override
  public List<Renewal> renewAll(List<Lease> leases) {
    List<CompletableFuture<Renewal>> asked = leases.stream().map(this::renew).toList();
    return asked.stream().map(CompletableFuture::join).toList();
  }

  @Override
  public Renewal renewOne(Lease lease) {
    return renew(lease).join();
  }

  private CompletableFuture<Renewal> renew(Lease lease) {
    ItemToken token = (ItemToken) lease.token();
    return queue
        .extendAsync(token.partition(), List.of(token.text()), lease.ttl())
        .handle(
            (deadline, failure) -> {
              if (failure == null) {
                return Renewal.until(deadline.toEpochMilli());
              }
              QueueException e = QueueEngine.asQueueException(failure);
              return switch (e.kind()) {
                case INVALID -> Renewal.refused(Renewal.Status.NOT_FOUND);
                case CONFLICT -> Renewal.refused(Renewal.Status.EXPIRED);
                default -> throw e;
              };
            });
  }
}
