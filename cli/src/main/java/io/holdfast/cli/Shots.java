package io.holdfast.cli;

import io.holdfast.job.NewJob;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.NotHeld;
import io.holdfast.lock.Wait;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Produced;
import io.holdfast.queue.Queue;
import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Batch;
import io.holdfast.stream.Delivery;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** One operation each, from a shell. Leases that they take end by time unless they are settled. */
final class Shots {
  private Shots() {}

  /** The payload of the argument, or of standard input. */
  private static byte[] payload(@Nullable String argument) {
    if (argument != null) {
      Arguments.requireReadable(argument);
      return argument.getBytes(StandardCharsets.UTF_8);
    }
    try {
      return withoutLastBreak(System.in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The end of a text's last line is the shell's, not the text's; other bytes are left alone. */
  private static byte[] withoutLastBreak(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    boolean isText = Arrays.equals(text.getBytes(StandardCharsets.UTF_8), input);
    String stripped = text.replaceFirst("\\r?\\n\\z", "");
    return isText && !stripped.isEmpty() ? stripped.getBytes(StandardCharsets.UTF_8) : input;
  }

  /** Appends an item to a queue. */
  @Command(name = "produce", sortOptions = false, header = "Append an item to a queue.")
  static final class Produce implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "QUEUE")
    private String queue;

    @Parameters(
        index = "1",
        paramLabel = "PAYLOAD",
        arity = "0..1",
        description = "[stdin, without its last line break].")
    private @Nullable String payload;

    @Option(names = "--kind", paramLabel = "TEXT")
    private String kind = "";

    @Option(names = "--reference", paramLabel = "TEXT")
    private String reference = "";

    @Option(names = "--at", paramLabel = "INSTANT", description = "Not before then.")
    private @Nullable String at;

    @Mixin private Place place;
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      Instant due = at == null ? null : Moments.parse(spec, "--at", at);
      NewItem item = NewItem.of(payload(payload)).withKind(kind).withReference(reference);
      return Work.show(
          spec,
          place,
          on -> {
            Produced made = on.queues().queue(queue).produce(due == null ? item : item.at(due));
            return Listing.of("partition", "id")
                .add(made.partition(), String.join(" ", made.ids()));
          });
    }
  }

  /** Leases items. */
  @Command(name = "lease", sortOptions = false, header = "Lease items of a queue.")
  static final class Lease implements Callable<Integer> {
    @Parameters(paramLabel = "QUEUE")
    private String queue;

    @Option(names = "--batch", paramLabel = "N", description = "At most so many [1].")
    private int batch = 1;

    @Option(names = "--wait", paramLabel = "TIME", description = "For the first one [1s].")
    private Duration wait = Duration.ofSeconds(1);

    @Mixin private Place place;
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      return Work.list(
          spec,
          place,
          on -> {
            Queue from = on.queues().queue(queue);
            LeasedItems leased =
                from.lease(new LeaseRequest("cli-" + UUID.randomUUID(), batch, wait));
            Listing listing = Listing.of("partition", "id", "attempts", "leaseDeadline", "payload");
            leased
                .items()
                .forEach(
                    item ->
                        listing.add(
                            leased.partition(),
                            item.id(),
                            item.attempts(),
                            item.leaseDeadline(),
                            Text.payload(item.content().payload(), place.isJson())));
            return listing;
          });
    }
  }

  /** Completes leased items. */
  @Command(name = "complete", sortOptions = false, header = "Complete leased items of a queue.")
  static final class Complete implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "QUEUE")
    private String queue;

    @Parameters(index = "1..*", paramLabel = "ID", arity = "1..*")
    private List<String> ids;

    @Option(names = "--partition", paramLabel = "N", description = "[0].")
    private int partition;

    @Mixin private Place place;
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      return Work.change(
          spec,
          place,
          on -> {
            on.queues().queue(queue).complete(partition, ids, Queue.DEFAULT_TIMEOUT);
            return "completed " + ids.size();
          });
    }
  }

  /** Appends a message to a stream. */
  @Command(name = "push", sortOptions = false, header = "Append a message to a stream.")
  static final class Push implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "STREAM")
    private String stream;

    @Parameters(
        index = "1",
        paramLabel = "PAYLOAD",
        arity = "0..1",
        description = "[stdin, without its last line break].")
    private @Nullable String payload;

    @Option(names = "--partition", paramLabel = "NAME", description = "[Default].")
    private @Nullable String partition;

    @Option(names = "--transaction", paramLabel = "ID", description = "Stored once per id.")
    private @Nullable String transaction;

    @Mixin private Place place;
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      NewMessage message =
          NewMessage.to(stream, new String(payload(payload), StandardCharsets.UTF_8));
      NewMessage placed = partition == null ? message : message.in(partition);
      NewMessage complete = transaction == null ? placed : placed.once(transaction);
      return Work.show(
          spec,
          place,
          on -> {
            Pushed pushed = on.streams().push(List.of(complete)).get(0);
            return Listing.of("status", "transactionId", "partitionId", "offset")
                .add(
                    pushed.status().name().toLowerCase(Locale.ROOT),
                    pushed.transactionId(),
                    pushed.partitionId(),
                    pushed.offset());
          });
    }
  }

  /** Takes messages. */
  @Command(name = "pop", sortOptions = false, header = "Take messages of a stream for a group.")
  static final class Pop implements Callable<Integer> {
    @Parameters(paramLabel = "STREAM")
    private String stream;

    @Option(names = "--group", paramLabel = "GROUP")
    private @Nullable String group;

    @Option(names = "--batch", paramLabel = "N", description = "At most so many [1].")
    private int batch = 1;

    @Option(names = "--wait", paramLabel = "TIME", description = "For the first one [0].")
    private Duration wait = Duration.ZERO;

    @Mixin private Place place;
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      PopRequest request = PopRequest.of(stream).batch(batch).waiting(wait);
      return Work.list(
          spec,
          place,
          on -> {
            Popped popped = on.streams().pop(group == null ? request : request.group(group));
            Listing listing =
                Listing.of(
                    "partition", "partitionId", "leaseId", "transactionId", "offset", "payload");
            for (Batch one : popped.batches()) {
              Batch.Held lease = one.lease();
              for (Delivery delivery : one.deliveries()) {
                listing.add(
                    one.partition(),
                    one.partitionId(),
                    lease == null ? null : lease.id(),
                    delivery.message().transactionId(),
                    delivery.message().place().offset(),
                    Text.payload(delivery.message().payload().bytes(), place.isJson()));
              }
            }
            return listing;
          });
    }
  }

  /** Settles a message. */
  @Command(name = "ack", sortOptions = false, header = "Settle a message that was taken.")
  static final class AckOne implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "PARTITION_ID")
    private UUID partition;

    @Parameters(index = "1", paramLabel = "TRANSACTION_ID")
    private String transaction;

    @Option(names = "--lease", paramLabel = "ID", required = true)
    private UUID lease;

    @Option(names = "--group", paramLabel = "GROUP")
    private String group = PopRequest.QUEUE_MODE;

    @Option(names = "--failed", paramLabel = "ERROR", description = "It failed, because of this.")
    private @Nullable String error;

    @Mixin private Place place;
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      Ack ack =
          new Ack(
              partition,
              group,
              lease,
              Ack.Target.transaction(transaction),
              error == null ? Verdict.COMPLETED : Verdict.FAILED,
              error);
      return Work.show(
          spec,
          place,
          on -> {
            Acked acked = on.streams().ack(List.of(ack)).get(0);
            StreamError error = acked.error();
            if (error != null) {
              throw new StreamException(error, "the message was not settled", null);
            }
            return Listing.of("noop", "dead", "released")
                .add(acked.isNoop(), acked.isDead(), acked.isReleased());
          });
    }
  }

  /** Stores a job. */
  @Command(name = "enqueue", sortOptions = false, header = "Store a job.")
  static final class Enqueue implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "TYPE")
    private String type;

    @Parameters(
        index = "1",
        paramLabel = "PAYLOAD",
        arity = "0..1",
        description = "[stdin, without its last line break].")
    private @Nullable String payload;

    @Option(names = "--queue", paramLabel = "QUEUE", description = "[default].")
    private @Nullable String queue;

    @Option(names = "--run-at", paramLabel = "INSTANT", description = "Not before then.")
    private @Nullable String runAt;

    @Option(names = "--max-attempts", paramLabel = "N")
    private @Nullable Integer maxAttempts;

    @Option(names = "--priority", paramLabel = "N", description = "Minutes ahead of others [0].")
    private int priority;

    @Option(names = "--once", paramLabel = "KEY", description = "Unless there is one of this key.")
    private @Nullable String key;

    @Option(names = "--trace", paramLabel = "ID", description = "What it belongs to.")
    private @Nullable String trace;

    @Mixin private Place place;
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      NewJob job =
          NewJob.of(type)
              .queue(queue)
              .payload(payload(payload))
              .priority(priority)
              .once(key)
              .traced(trace)
              .runAt(runAt == null ? null : Moments.parse(spec, "--run-at", runAt));
      return Work.show(
          spec,
          place,
          on -> {
            var stored =
                on.jobs().enqueue(maxAttempts == null ? job : job.maxAttempts(maxAttempts));
            return Listing.of("id", "existed").add(stored.id(), stored.existed());
          });
    }
  }

  /** Takes a lock. */
  @Command(name = "acquire", sortOptions = false, header = "Take a lock; 75 when it is taken.")
  static final class Acquire implements Callable<Integer> {
    @Parameters(paramLabel = "KEY")
    private String key;

    @Option(names = "--ttl", paramLabel = "TIME", description = "[30s].")
    private Duration ttl = Duration.ofSeconds(30);

    @Option(names = "--wait", paramLabel = "TIME", description = "While it is taken [0].")
    private Duration wait = Duration.ZERO;

    @Mixin private Place place;
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      try (Capabilities on = place.open()) {
        LockAttempt attempt = on.locks().acquire(key, ttl, Wait.upTo(wait));
        if (!(attempt instanceof Acquired lock)) {
          Problem.say("the lock is taken");
          return Exit.TAKEN;
        }
        Listing.of("lockId", "fence", "expiresAt")
            .add(lock.lockId(), lock.fence().text(), lock.expiresAt())
            .printOne(Work.out(spec), place.isJson());
      }
      return Exit.OK;
    }
  }

  /** Gives a lock back. */
  @Command(name = "release", sortOptions = false, header = "Give a lock back.")
  static final class Release implements Callable<Integer> {
    @Parameters(paramLabel = "LOCK_ID")
    private String lockId;

    @Mixin private Place place;
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      try (Capabilities on = place.open()) {
        if (on.locks().release(lockId) instanceof NotHeld notHeld) {
          Problem.say("not held: " + notHeld.reason().name().toLowerCase(Locale.ROOT));
          return Exit.FAILED;
        }
        Work.out(spec).println("released");
        Work.out(spec).flush();
      }
      return Exit.OK;
    }
  }
}
