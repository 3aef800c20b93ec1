package io.holdfast.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.HoldfastException;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import io.holdfast.lock.LockAdmin;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueStats;
import io.holdfast.stream.GroupInfo;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what is going on, again and again. */
@Command(
    name = "top",
    sortOptions = false,
    header = "Show depth, age, leases and rates of everything, live.",
    description = {"Ctrl-C ends it. Without a terminal one view follows the other.", ""})
final class TopCommand implements Callable<Integer> {
  private static final int MOST = 1_000;
  private static final String CLEAR = "\u001b[H\u001b[2J";

  @Option(names = "--every", paramLabel = "TIME", description = "Between two looks [2s].")
  private Duration every = Duration.ofSeconds(2);

  @Option(names = "--times", paramLabel = "N", description = "So many looks; 0: until ended [0].")
  private int times;

  @Mixin private Place place;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = Work.out(spec);
    boolean isLive = System.console() != null && !place.isJson();
    try (Capabilities on = place.open()) {
      for (int look = 1; times == 0 || look <= times; look++) {
        if (place.isJson()) {
          Json.print(document(on), out);
        } else {
          out.print(isLive ? CLEAR + view(on) : view(on));
        }
        out.flush();
        if (look != times) {
          TimeUnit.MILLISECONDS.sleep(Math.max(100, every.toMillis()));
        }
      }
    }
    return Exit.OK;
  }

  /** One object per look. */
  private static ObjectNode document(Capabilities on) {
    ObjectNode document = Json.object().put("at", Text.instant(Instant.now()));
    document.set("queues", queues(on).asJson());
    document.set("streams", streams(on).asJson());
    document.set("jobs", jobs(on).asJson());
    document.set("locks", locks(on).asJson().get(0));
    return document;
  }

  private static String view(Capabilities on) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    out.println("holdfast  " + Text.instant(Instant.now()));
    section(out, "queues", () -> queues(on));
    section(out, "streams", () -> streams(on));
    section(out, "jobs", () -> jobs(on));
    section(out, "locks", () -> locks(on));
    out.println();
    out.flush();
    return text.toString();
  }

  private static void section(PrintWriter out, String title, Callable<Listing> rows) {
    out.println();
    out.println(title);
    try {
      rows.call().print(out, false);
    } catch (HoldfastException e) {
      out.println(Problem.of(e)); // it may be back at the next look
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static Listing queues(Capabilities on) {
    Listing listing =
        Listing.of("queue", "total", "leased", "scheduled", "averageAge", "waiting", "paused");
    for (QueueInfo queue : on.queues().list(new QueuePage("", MOST, null))) {
      QueueStats stats = on.queues().queue(queue.name()).admin().stats();
      long total = 0;
      long leased = 0;
      long scheduled = 0;
      Duration age = Duration.ZERO;
      for (QueueStats.PartitionStats partition : stats.partitions()) {
        total += partition.counts().total();
        leased += partition.counts().leased();
        scheduled += partition.counts().scheduled();
        Duration here = partition.counts().averageAge();
        age = here.compareTo(age) > 0 ? here : age;
      }
      listing.add(
          queue.name(),
          total,
          leased,
          scheduled,
          Text.rough(age),
          stats.leaseWaiting(),
          queue.paused().name().toLowerCase(java.util.Locale.ROOT));
    }
    return listing;
  }

  private static Listing streams(Capabilities on) {
    Listing listing = Listing.of("stream", "group", "lag", "lastSeen");
    for (GroupInfo group : on.streams().admin().groups(null)) {
      listing.add(group.queue(), group.name(), group.lag(), Text.rough(age(group.lastSeenAt())));
    }
    return listing;
  }

  private static Duration age(Instant at) {
    Duration age = Duration.between(at, Instant.now());
    return age.isNegative() ? Duration.ZERO : age;
  }

  private static Listing jobs(Capabilities on) {
    Listing listing =
        Listing.of("queue", "ready", "scheduled", "running", "dead", "donePerMin", "diedPerMin");
    for (JobQueueInfo queue : on.jobs().queues().list()) {
      JobStats stats = on.jobs().queues().stats(queue.queue());
      listing.add(
          queue.queue(),
          count(stats, JobState.READY),
          count(stats, JobState.SCHEDULED),
          count(stats, JobState.INFLIGHT),
          count(stats, JobState.DLQ),
          stats.finishedLastMinute().count(),
          stats.diedLastMinute().count());
    }
    return listing;
  }

  private static int count(JobStats stats, JobState state) {
    JobStats.Count count = stats.counts().get(state);
    return count == null ? 0 : count.count();
  }

  private static Listing locks(Capabilities on) {
    LockAdmin.Stats stats = on.locks().operator().stats();
    return Listing.of("live", "waiters", "counters")
        .add(stats.liveLocks(), stats.waiters(), stats.counters());
  }
}
