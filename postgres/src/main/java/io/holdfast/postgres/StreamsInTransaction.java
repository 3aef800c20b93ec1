package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Entry;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.StreamService;
import io.holdfast.stream.Transacted;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Stream operations inside a caller's open transaction: visible with its commit, undone by its
 * rollback. Nothing is begun, ended, repeated or set on the connection. A refusal is an answer or
 * an exception of ours and no error of the transaction, which stays usable.
 *
 * <p>A push holds its partitions until the commit, and on a limited queue everybody who pushes to
 * it: push last, commit soon. Consumers never wait for it. Pushing needs a transaction that is READ
 * COMMITTED, because an older snapshot hides groups that began since. Used by one thread, as its
 * connection is.
 */
public final class StreamsInTransaction {
  private static final int FORMS = 5;

  private static final String HOLDS =
      "SELECT holdfast.stream_holds_v1(?::timestamptz, ?, ?, ?, ?, ?, ?)";

  private final StreamKernel kernel;
  private final StreamLog log;
  private final PostgresStreamLeases leases;
  private final StreamService service;
  private final StoreCall call = StoreCall.plain();

  StreamsInTransaction(
      StreamKernel own, Statements statements, StreamService service, Connection connection) {
    this.service = service;
    this.kernel =
        own.inside(
            StoreCaller.inside(
                connection,
                statements,
                () ->
                    StreamException.invalid(
                        "connection is invalid; open a transaction on it first")));
    this.log = new PostgresStreamLog(kernel, own, messages -> {});
    this.leases = new PostgresStreamLeases(kernel);
  }

  /** Appends all messages or none. Those without a partition go to {@code Default}. */
  public List<Pushed> push(List<NewMessage> messages) {
    return push(messages, null);
  }

  /** The same under an authenticated name, which consumers get to see. */
  public List<Pushed> push(List<NewMessage> messages, @Nullable String producer) {
    StreamRules.checkPush(messages);
    return inForm(messages, producer, entries -> log.push(entries, call), StreamLog.Appended.class)
        .pushed();
  }

  /**
   * Settles messages; a refused one does not undo the others. The lease stays good until the commit
   * even if its time ends: nobody gets the partition meanwhile.
   */
  public List<Acked> ack(List<Ack> acks) {
    StreamRules.checkAcks(acks, true);
    return leases.ack(List.copyOf(acks), call).acked();
  }

  /**
   * Returns what is unsettled: of one partition, or with null of all.
   *
   * @throws StreamException {@code LEASE_LOST} when the lease holds none
   */
  public int release(UUID leaseId, @Nullable UUID partitionId) {
    int partitions = leases.release(leaseId, partitionId, call).partitions();
    if (partitions == 0) {
      throw lost(leaseId);
    }
    return partitions;
  }

  /**
   * Pushes and settles together. A refused verdict undoes both, and nothing else of the caller's
   * transaction.
   */
  public Transacted transact(List<NewMessage> messages, List<Ack> acks) {
    StreamRules.checkPush(messages);
    StreamRules.checkAcks(acks, true);
    List<Ack> verdicts = List.copyOf(acks);
    return inForm(
            messages,
            null,
            entries -> log.transact(entries, verdicts, Set.of(), call),
            StreamLog.Settled.class)
        .transacted();
  }

  /** Sends entries; a queue that wants another form is remembered, and they are made anew. */
  private <A extends StreamLog.TransactAnswer> A inForm(
      List<NewMessage> messages,
      @Nullable String producer,
      Function<List<Entry>, StreamLog.TransactAnswer> send,
      Class<A> answer) {
    for (int i = 0; i < FORMS; i++) {
      StreamLog.TransactAnswer got = send.apply(service.sealer().entries(messages, producer));
      if (got instanceof StreamLog.WrongForm wrong) {
        service.remember(wrong.queue());
      } else {
        return answer.cast(got);
      }
    }
    throw StreamException.unavailable("the queue's encryption keeps changing; try again", null);
  }

  /**
   * Fails unless {@code group} still holds the partition under this lease and fence. Then nobody
   * takes it over before the caller's transaction ends.
   *
   * @throws StreamException {@code LEASE_LOST}
   */
  public void assertLease(UUID leaseId, UUID partitionId, String group, long fence) {
    StreamRules.checkGroup(group);
    boolean isHeld =
        StreamIds.partition(partitionId)
            .map(
                key ->
                    kernel.<Boolean>change(
                        "assert lease", call, w -> holds(w, leaseId, key, group, fence)))
            .orElse(false);
    if (!isHeld) {
      throw lost(leaseId);
    }
  }

  private boolean holds(
      Watch watch, UUID leaseId, StreamIds.PartitionKey key, String group, long fence)
      throws SQLException {
    try (PreparedStatement statement = watch.prepare(kernel.sql(HOLDS))) {
      Binds.of(statement)
          .now(kernel.time())
          .integer(key.queue().id())
          .integer(key.queue().tag())
          .number(key.partition())
          .text(group)
          .uuid(leaseId)
          .number(fence);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  private static StreamException lost(UUID leaseId) {
    return new StreamException(
        StreamError.LEASE_LOST, "lease " + leaseId + " is over or somebody else's", null);
  }
}
