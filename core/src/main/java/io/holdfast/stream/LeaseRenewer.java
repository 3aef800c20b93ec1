package io.holdfast.stream;

import io.holdfast.lease.Lease;
import io.holdfast.lease.LeaseKeeper;
import io.holdfast.lease.LeaseToken;
import io.holdfast.lease.Renewal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Renews a consumer's leases with calls that share statements. */
record LeaseRenewer(StreamWork work) implements LeaseKeeper.Renewer {
  /** What renews a lease: its id. */
  record Token(UUID id) implements LeaseToken {
    @Override
    public String text() {
      return id.toString();
    }
  }

  @Override
  public List<Renewal> renewAll(List<Lease> leases) {
    List<CompletableFuture<Renewal>> asked = leases.stream().map(this::renew).toList();
    return asked.stream().map(StreamEngine::join).toList();
  }

  @Override
  public Renewal renewOne(Lease lease) {
    return StreamEngine.join(renew(lease));
  }

  private CompletableFuture<Renewal> renew(Lease lease) {
    UUID id = ((Token) lease.token()).id();
    return work.extend(id, lease.ttl())
        .thenApply(
            extended -> {
              Instant until = extended.expiresAt();
              return until == null
                  ? Renewal.refused(Renewal.Status.EXPIRED)
                  : Renewal.until(until.toEpochMilli());
            });
  }
}
