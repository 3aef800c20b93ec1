package io.holdfast.server.stream;

import io.holdfast.client.stream.AckWire;
import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Role;
import io.holdfast.stream.Extended;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.Streams;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Leases: longer, or over. */
final class LeaseEndpoints {
  private static final long DEFAULT_SECONDS = 60;
  private static final long MOST_SECONDS = 86_400;

  private final Streams streams;
  private final Partitions partitions;

  LeaseEndpoints(Streams streams, Partitions partitions) {
    this.streams = streams;
    this.partitions = partitions;
  }

  void mount(Mount mount) {
    mount.work(
        Mount.Place.post("/api/v1/lease/{leaseId}/extend", Role.WORK, "Make a lease last longer"),
        Mount.Types.of(AckWire.Extend.class, AckWire.Extended.class),
        this::extend);
    mount.work(
        Mount.Place.post("/api/v1/lease/{leaseId}/release", Role.WORK, "Give a lease back"),
        Mount.Types.of(AckWire.Release.class, AckWire.Released.class),
        this::release);
  }

  private Answer extend(Exchange exchange) {
    AckWire.Extend body = Asked.optionalBody(exchange, AckWire.Extend.class);
    long seconds =
        Asked.number(PopEndpoints.text(body.seconds()), DEFAULT_SECONDS, 1, MOST_SECONDS);
    String leaseId = exchange.parameter("leaseId");
    UUID lease = WireTexts.id(leaseId);
    Extended extended = Extended.LOST;
    if (lease != null) {
      partitions.requireLease(exchange, lease);
      try {
        extended = streams.extend(lease, Duration.ofSeconds(seconds));
      } catch (StreamException e) {
        rethrowUnlessLost(e);
      }
    }
    String until = WireTexts.millisOrNull(extended.expiresAt());
    boolean isHeld = until != null;
    return Doc.ok(
        new AckWire.Extended(
            leaseId, isHeld, isHeld, until, until, until, lost(isHeld), extended.partitions()));
  }

  private static @Nullable String lost(boolean isHeld) {
    return isHeld ? null : WireTexts.refusal(StreamError.LEASE_LOST);
  }

  private static void rethrowUnlessLost(StreamException e) {
    if (e.error() != StreamError.LEASE_LOST) {
      throw e;
    }
  }

  private Answer release(Exchange exchange) {
    AckWire.Release body = Asked.optionalBody(exchange, AckWire.Release.class);
    String leaseId = exchange.parameter("leaseId");
    UUID lease = WireTexts.id(leaseId);
    String partition = WireTexts.some(body.partitionId());
    UUID partitionId = partition == null ? null : Asked.id("partitionId", partition);
    int released = 0;
    if (lease != null) {
      partitions.requireLease(exchange, lease);
      try {
        released = streams.release(lease, partitionId);
      } catch (StreamException e) {
        rethrowUnlessLost(e);
      }
    }
    boolean isHeld = released > 0;
    return Doc.ok(new AckWire.Released(leaseId, isHeld, released, lost(isHeld)));
  }
}
