package io.holdfast.server.stream;

import io.holdfast.client.stream.AckWire;
import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Refusal;
import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.Verdict;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The verdicts of one call: those that can be read go on, the others are refused one by one. */
final class Verdicts {
  private final List<AckWire.Ack> asked = new ArrayList<>();
  private final List<Integer> places = new ArrayList<>();
  private final List<Ack> acks = new ArrayList<>();
  private final List<StreamError> refused = new ArrayList<>();

  /** Takes the next one; {@code group} is that of the call. */
  void add(AckWire.@Nullable Ack ack, @Nullable String group, String where) {
    if (ack == null) {
      throw Refusal.malformed(where + " is missing");
    }
    String transaction = WireTexts.some(ack.transactionId());
    if (transaction == null && ack.offset() == null) {
      throw Refusal.malformed(where + ".transactionId is missing");
    }
    if (WireTexts.some(ack.partitionId()) == null) {
      throw Refusal.malformed(where + ".partitionId is missing");
    }
    asked.add(ack);
    Optional<Verdict> verdict = WireTexts.verdict(ack.status());
    UUID partition = WireTexts.id(ack.partitionId());
    UUID lease = WireTexts.id(ack.leaseId());
    boolean isForeign = lease == null && WireTexts.some(ack.leaseId()) != null;
    if (verdict.isEmpty()) {
      refused.add(StreamError.INVALID_ARGUMENT);
    } else if (partition == null || isForeign) {
      refused.add(StreamError.LEASE_LOST); // no id of ours
    } else {
      refused.add(StreamError.INTERNAL); // replaced by what becomes of it
      places.add(asked.size() - 1);
      acks.add(
          new Ack(
              partition,
              Asked.group(
                  WireTexts.some(ack.consumerGroup()) == null ? group : ack.consumerGroup()),
              lease,
              transaction == null
                  ? Ack.Target.offset(ack.offset())
                  : Ack.Target.transaction(transaction),
              verdict.get(),
              WireTexts.some(ack.error())));
    }
  }

  List<Ack> acks() {
    return acks;
  }

  boolean isReadable() {
    return acks.size() == asked.size();
  }

  Set<UUID> partitions() {
    Set<UUID> ids = new HashSet<>();
    for (AckWire.Ack ack : asked) {
      UUID id = WireTexts.id(ack.partitionId());
      if (id != null) {
        ids.add(id);
      }
    }
    return ids;
  }

  /** The leases of those that were accepted. */
  Set<String> leases(List<Acked> acked) {
    Set<String> leases = new HashSet<>();
    for (int i = 0; i < acked.size(); i++) {
      UUID lease = acks.get(i).leaseId();
      if (lease != null && acked.get(i).error() == null) {
        leases.add(lease.toString());
      }
    }
    return leases;
  }

  /** What became of all of them, in the order in which they came. */
  List<AckWire.Acked> results(List<Acked> acked, Map<UUID, Partitions.Name> names) {
    List<Acked> all = new ArrayList<>(refused.stream().map(Acked::refused).toList());
    for (int i = 0; i < acked.size(); i++) {
      all.set(places.get(i), acked.get(i));
    }
    List<AckWire.Acked> results = new ArrayList<>(all.size());
    for (int i = 0; i < all.size(); i++) {
      UUID partition = WireTexts.id(asked.get(i).partitionId());
      results.add(
          result(i, asked.get(i), all.get(i), partition == null ? null : names.get(partition)));
    }
    return results;
  }

  private static AckWire.Acked result(
      int index, AckWire.Ack ack, Acked acked, Partitions.@Nullable Name name) {
    StreamError error = acked.error();
    return new AckWire.Acked(
        index,
        ack.transactionId(),
        error == null,
        error == null ? null : WireTexts.refusal(error),
        acked.isNoop(),
        name == null ? null : name.queue(),
        name == null ? null : name.partition(),
        acked.isReleased(),
        acked.isDead(),
        error == null ? null : error.name());
  }
}
