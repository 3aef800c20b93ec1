package io.holdfast.server.stream;

import io.holdfast.client.stream.AckWire;
import io.holdfast.client.stream.PushWire;
import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.HeldTimes;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.stream.Ack;
import io.holdfast.stream.AckMode;
import io.holdfast.stream.Acked;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Transacted;
import io.holdfast.stream.Verdict;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Pushes and verdicts that commit together. */
final class TransactionEndpoint {
  private static final String UNDONE = "the transaction was not committed";

  private final Streams streams;
  private final Partitions partitions;
  private final HeldTimes held;
  private final AckMode mode;

  TransactionEndpoint(Streams streams, Partitions partitions, HeldTimes held, AckMode mode) {
    this.streams = streams;
    this.partitions = partitions;
    this.held = held;
    this.mode = mode;
  }

  void mount(Mount mount) {
    mount.add(
        Mount.Place.post("/api/v1/transaction", Role.WORK, "Push and settle together"),
        Mount.Types.of(AckWire.Transaction.class, AckWire.Transacted.class),
        this::transact);
  }

  /** What is asked, and in which order: null stands for the next verdict. */
  private static final class Plan {
    final Verdicts verdicts = new Verdicts();
    final List<AckWire.Ack> acks = new ArrayList<>();
    final List<NewMessage> messages = new ArrayList<>();
    final List<@Nullable NewMessage> order = new ArrayList<>();
    final Set<UUID> required = new HashSet<>();
  }

  private CompletableFuture<Answer> transact(Exchange exchange) {
    exchange.caller().require(Role.PRODUCE);
    Plan plan = plan(exchange, Asked.body(exchange, AckWire.Transaction.class));
    return partitions
        .of(exchange, plan.verdicts.partitions())
        .thenCompose(names -> exchange.blocking(() -> Doc.ok(run(exchange, plan, names))));
  }

  private static Plan plan(Exchange exchange, AckWire.Transaction body) {
    List<AckWire.@Nullable Operation> operations = body.operations();
    if (operations == null || operations.isEmpty()) {
      throw Refusal.malformed("operations is missing or empty");
    }
    Plan plan = new Plan();
    for (int i = 0; i < operations.size(); i++) {
      add(exchange, operations.get(i), plan, "operations[" + i + "]");
    }
    if (body.requiredLeases() != null) {
      for (String lease : body.requiredLeases()) {
        UUID id = WireTexts.id(lease);
        if (id != null) {
          plan.required.add(id);
        }
      }
    }
    return plan;
  }

  private static void add(
      Exchange exchange, AckWire.@Nullable Operation operation, Plan plan, String where) {
    String type = operation == null ? null : operation.type();
    if (operation == null || type == null) {
      throw Refusal.malformed(where + ".type is missing");
    }
    switch (type) {
      case "push" -> {
        if (operation.items() == null) {
          throw Refusal.malformed(where + ".items is missing");
        }
        List<NewMessage> messages =
            PushEndpoints.messages(exchange, operation.items(), where + ".items");
        plan.messages.addAll(messages);
        plan.order.addAll(messages);
      }
      case "ack" -> {
        AckWire.Ack ack =
            new AckWire.Ack(
                operation.transactionId(),
                operation.partitionId(),
                operation.status(),
                operation.leaseId(),
                operation.consumerGroup(),
                operation.error(),
                null,
                operation.offset());
        plan.verdicts.add(ack, null, where);
        plan.acks.add(ack);
        plan.order.add(null);
      }
      default -> throw Refusal.malformed(where + ".type must be push or ack");
    }
  }

  private AckWire.Transacted run(Exchange exchange, Plan plan, Map<UUID, Partitions.Name> names) {
    Transacted transacted =
        plan.verdicts.isReadable()
            ? streams.transact(
                plan.messages,
                plan.verdicts.acks(),
                plan.required,
                PushEndpoints.producer(exchange))
            : new Transacted(
                false,
                List.of(),
                plan.verdicts.acks().stream()
                    .map(ack -> new Acked(null, false, false, false))
                    .toList());
    if (transacted.isCommitted()) {
      held.settled(HeldTimes.Kind.STREAM, plan.verdicts.leases(transacted.acked()));
      completeEarlier(plan);
    }
    List<AckWire.Acked> acked = plan.verdicts.results(transacted.acked(), names);
    List<AckWire.Result> results = results(plan, acked, transacted);
    String error =
        transacted.isCommitted()
            ? null
            : acked.stream()
                .filter(each -> !each.success())
                .map(each -> String.valueOf(each.error()))
                .findFirst()
                .orElse(UNDONE);
    return new AckWire.Transacted(
        UUID.randomUUID().toString(), transacted.isCommitted(), error, results);
  }

  /**
   * Completes what the verdicts imply, where that is the custom: behind the commit, because a
   * message that was refused before must not undo it. If that fails, the transaction is committed
   * all the same, and the earlier messages come again.
   */
  private void completeEarlier(Plan plan) {
    if (mode == AckMode.CUMULATIVE) {
      List<Ack> acks = new ArrayList<>();
      for (Ack ack : plan.verdicts.acks()) {
        if (ack.verdict() != Verdict.COMPLETED) {
          continue;
        }
        Set<UUID> leases = ack.leaseId() == null ? plan.required : Set.of(ack.leaseId());
        leases.forEach(
            lease ->
                acks.add(
                    new Ack(
                        ack.partitionId(),
                        ack.group(),
                        lease,
                        ack.message(),
                        ack.verdict(),
                        ack.error())));
      }
      streams.ackAsync(acks, mode).exceptionally(failure -> List.of()).join();
    }
  }

  private static List<AckWire.Result> results(
      Plan plan, List<AckWire.Acked> acked, Transacted transacted) {
    List<AckWire.Result> results = new ArrayList<>();
    int nextAck = 0;
    int nextPush = 0;
    for (NewMessage message : plan.order) {
      int index = results.size();
      if (message == null) {
        AckWire.Acked own = acked.get(nextAck);
        results.add(
            ack(
                index,
                plan.acks.get(nextAck),
                transacted.isCommitted() || !own.success() ? own : undone(own)));
        nextAck++;
      } else {
        Pushed pushed = transacted.isCommitted() ? transacted.pushed().get(nextPush++) : null;
        results.add(push(index, message, pushed));
      }
    }
    return results;
  }

  /** It would have been good, and came to nothing. */
  private static AckWire.Acked undone(AckWire.Acked acked) {
    return new AckWire.Acked(
        acked.index(),
        acked.transactionId(),
        false,
        UNDONE,
        false,
        acked.queueName(),
        acked.partitionName(),
        false,
        false,
        null);
  }

  private static AckWire.Result ack(int index, AckWire.Ack asked, AckWire.Acked acked) {
    return new AckWire.Result(
        index,
        "ack",
        acked.success(),
        asked.transactionId(),
        null,
        asked.partitionId(),
        acked.queueName(),
        false,
        acked.dlq(),
        acked.error(),
        acked.code(),
        acked.noop(),
        acked.leaseReleased(),
        null);
  }

  private static AckWire.Result push(int index, NewMessage message, @Nullable Pushed pushed) {
    PushWire.Pushed result = pushed == null ? null : PushEndpoints.result(index, message, pushed);
    return new AckWire.Result(
        index,
        "push",
        result != null,
        result == null ? message.transactionId() : result.transactionId(),
        result == null ? null : result.messageId(),
        result == null ? null : result.partitionId(),
        message.queue(),
        pushed != null && pushed.status() == Pushed.Status.DUPLICATE,
        false,
        result == null ? UNDONE : null,
        null,
        null,
        null,
        result);
  }
}
