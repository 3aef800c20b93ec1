package io.holdfast.cli;

import io.holdfast.queue.Clear;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueSettings;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.Redriven;
import io.holdfast.queue.StoredItem;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks at work queues and changes them. */
@Command(
    name = "queues",
    header = "Work queues: list, show, create, stats, peek, redrive, pause, clear, delete.",
    synopsisSubcommandLabel = "COMMAND")
final class QueuesCommand implements Runnable {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw Work.mistake(spec, "a command is missing");
  }

  @Command(name = "list", header = "List queues by name.")
  int list(
      @Mixin Place place,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "1000") int limit) {
    return Work.list(
        spec,
        place,
        on -> {
          Listing listing =
              Listing.of(
                  "name", "partitions", "leaseTimeout", "maxAttempts", "deadQueue", "paused");
          for (QueueInfo queue : on.queues().list(new QueuePage("", limit, null))) {
            QueueSettings settings = queue.settings();
            listing.add(
                queue.name(),
                queue.partitions().size(),
                Text.rough(settings.leaseTimeout()),
                settings.maxAttempts(),
                settings.deadQueue(),
                paused(queue));
          }
          return listing;
        });
  }

  private static String paused(QueueInfo queue) {
    return queue.paused().name().toLowerCase(Locale.ROOT);
  }

  @Command(name = "show", header = "Show how a queue is set up.")
  int show(@Mixin Place place, @Parameters(paramLabel = "QUEUE") String name) {
    return Work.show(spec, place, on -> described(on.queues().get(name)));
  }

  private static Listing described(QueueInfo queue) {
    QueueSettings settings = queue.settings();
    return Listing.of(
            "name",
            "namespace",
            "partitions",
            "leaseTimeout",
            "expireTimeout",
            "maxAttempts",
            "deadQueue",
            "reference",
            "paused",
            "createdAt",
            "updatedAt")
        .add(
            queue.name(),
            queue.namespace(),
            queue.partitions().size(),
            Text.rough(settings.leaseTimeout()),
            Text.rough(settings.expireTimeout()),
            settings.maxAttempts(),
            settings.deadQueue(),
            settings.reference(),
            paused(queue),
            queue.createdAt(),
            queue.updatedAt());
  }

  @Command(name = "create", header = "Create a queue.")
  int create(
      @Mixin Place place,
      @Parameters(paramLabel = "QUEUE") String name,
      @Option(names = "--lease", paramLabel = "TIME") @Nullable Duration lease,
      @Option(names = "--expire", paramLabel = "TIME") @Nullable Duration expire,
      @Option(names = "--dead-queue", paramLabel = "QUEUE", defaultValue = "") String dead,
      @Option(names = "--max-attempts", paramLabel = "N", defaultValue = "0") int attempts,
      @Option(names = "--partitions", paramLabel = "N", defaultValue = "1") int partitions) {
    return Work.change(
        spec,
        place,
        on -> {
          NewQueue queue =
              NewQueue.named(name).deadQueue(dead).maxAttempts(attempts).partitions(partitions);
          NewQueue leased = lease == null ? queue : queue.leaseFor(lease);
          on.queues().create(expire == null ? leased : leased.expireAfter(expire));
          return "created " + name;
        });
  }

  @Command(name = "configure", header = "Change what is given of how a queue is set up.")
  int configure(
      @Mixin Place place,
      @Parameters(paramLabel = "QUEUE") String name,
      @Option(names = "--lease", paramLabel = "TIME") @Nullable Duration lease,
      @Option(names = "--expire", paramLabel = "TIME") @Nullable Duration expire,
      @Option(names = "--dead-queue", paramLabel = "QUEUE") @Nullable String dead,
      @Option(names = "--max-attempts", paramLabel = "N") @Nullable Integer attempts,
      @Option(names = "--partitions", paramLabel = "N") @Nullable Integer partitions) {
    QueueUpdate update = QueueUpdate.NOTHING.leaseFor(lease).expireAfter(expire);
    update = dead == null ? update : update.deadQueue(dead);
    update = attempts == null ? update : update.maxAttempts(attempts);
    QueueUpdate wanted = partitions == null ? update : update.partitions(partitions);
    return Work.change(
        spec,
        place,
        on -> {
          on.queues().update(name, wanted);
          return "configured " + name;
        });
  }

  @Command(name = "stats", header = "Count what is in a queue.")
  int stats(@Mixin Place place, @Parameters(paramLabel = "QUEUE") String name) {
    return Work.list(
        spec,
        place,
        on -> {
          Listing listing = Listing.of("partition", "total", "leased", "scheduled", "averageAge");
          for (QueueStats.PartitionStats one :
              on.queues().queue(name).admin().stats().partitions()) {
            QueueStats.ItemCounts counts = one.counts();
            listing.add(
                one.partition(),
                counts.total(),
                counts.leased(),
                counts.scheduled(),
                Text.rough(counts.averageAge()));
          }
          return listing;
        });
  }

  @Command(name = "peek", header = "Look at items without taking them.")
  int peek(
      @Mixin Place place,
      @Parameters(paramLabel = "QUEUE") String name,
      @Option(names = "--partition", paramLabel = "N", defaultValue = "0") int partition,
      @Option(names = "--after", paramLabel = "ID", defaultValue = "") String after,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "20") int limit,
      @Option(names = "--scheduled") boolean scheduled) {
    return Work.list(
        spec,
        place,
        on -> {
          Queue queue = on.queues().queue(name);
          List<StoredItem> items =
              scheduled
                  ? queue.admin().listScheduled(partition, after, limit)
                  : queue.admin().list(partition, after, limit);
          Listing listing = Listing.of("id", "leased", "attempts", "kind", "reference", "payload");
          for (StoredItem item : items) {
            listing.add(
                item.id(),
                item.isLeased(),
                item.attempts(),
                item.content().kind(),
                item.content().reference(),
                Text.payload(item.content().payload(), place.isJson()));
          }
          return listing;
        });
  }

  @Command(name = "redrive", header = "Return dead items of a queue to where they came from.")
  int redrive(
      @Mixin Place place,
      @Parameters(paramLabel = "QUEUE") String name,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "1000") int limit) {
    return Work.change(
        spec,
        place,
        on -> {
          Redriven moved = on.queues().queue(name).admin().redrive(limit);
          return moved.moved() + " moved, " + moved.skipped() + " skipped";
        });
  }

  @Command(name = "pause", header = "Grant no leases until resumed.")
  int pause(@Mixin Place place, @Parameters(paramLabel = "QUEUE") String name) {
    return Work.change(
        spec,
        place,
        on -> {
          on.queues().queue(name).admin().pause();
          return "paused " + name;
        });
  }

  @Command(name = "resume", header = "Grant leases again.")
  int resume(@Mixin Place place, @Parameters(paramLabel = "QUEUE") String name) {
    return Work.change(
        spec,
        place,
        on -> {
          on.queues().queue(name).admin().resume();
          return "resumed " + name;
        });
  }

  @Command(name = "clear", header = "Remove what waits; with --leased what is leased, too.")
  int clear(
      @Mixin Place place,
      @Parameters(paramLabel = "QUEUE") String name,
      @Option(names = "--leased") boolean leased) {
    return Work.change(
        spec,
        place,
        on -> {
          on.queues().queue(name).admin().clear(leased ? Clear.EVERYTHING : Clear.WAITING);
          return "cleared " + name;
        });
  }

  @Command(name = "delete", header = "Delete a queue; with --force also one that is not empty.")
  int delete(
      @Mixin Place place,
      @Parameters(paramLabel = "QUEUE") String name,
      @Option(names = "--force") boolean force) {
    return Work.change(
        spec,
        place,
        on -> {
          on.queues().delete(name, force);
          return "deleted " + name;
        });
  }
}
