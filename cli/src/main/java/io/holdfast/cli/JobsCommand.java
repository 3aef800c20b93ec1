package io.holdfast.cli;

import io.holdfast.job.Bulk;
import io.holdfast.job.Cancelled;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.Explanation;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import io.holdfast.job.NewJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.Requeued;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks at background jobs and changes them. */
@Command(
    name = "jobs",
    header = "Jobs: queues, configure, list, show, explain, retry, cancel, schedule.",
    synopsisSubcommandLabel = "COMMAND")
final class JobsCommand implements Runnable {
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

  @Command(name = "queues", header = "List queues of jobs.")
  int queues(@Mixin Place place) {
    return Work.list(
        spec,
        place,
        on -> {
          Listing listing = Listing.of("queue", "pausedAt", "limits");
          for (JobQueueInfo queue : on.jobs().queues().list()) {
            Map<String, Object> limits = new TreeMap<>();
            queue.limits().forEach(limit -> limits.put(limit.key(), limit.maxRunning()));
            listing.add(queue.queue(), queue.pausedAt(), limits);
          }
          return listing;
        });
  }

  @Command(name = "configure", header = "Change what is given of how a queue treats its jobs.")
  int configure(
      @Mixin Place place,
      @Parameters(paramLabel = "QUEUE") String queue,
      @Option(names = "--keep-done", paramLabel = "TIME", description = "Finished jobs.")
          @Nullable Duration keepDone,
      @Option(names = "--keep-dead", paramLabel = "TIME", description = "Dead letters.")
          @Nullable Duration keepDead,
      @Option(names = "--delivery-limit", paramLabel = "N") @Nullable Integer deliveryLimit,
      @Option(names = "--limit", paramLabel = "KEY=N", description = "So many at once per key.")
          @Nullable Map<String, Integer> limits) {
    JobQueueConfig config = JobQueueConfig.of(queue);
    config = keepDone == null ? config : config.keepDone(keepDone);
    config = keepDead == null ? config : config.keepDead(keepDead);
    config = deliveryLimit == null ? config : config.deliveryLimit(deliveryLimit);
    for (Map.Entry<String, Integer> limit :
        (limits == null ? Map.<String, Integer>of() : limits).entrySet()) {
      config = config.limit(limit.getKey(), limit.getValue());
    }
    JobQueueConfig wanted = config;
    return Work.change(
        spec,
        place,
        on -> {
          on.jobs().queues().configure(wanted);
          return "configured " + queue;
        });
  }

  @Command(name = "list", header = "List jobs of a queue.")
  int list(
      @Mixin Place place,
      @Parameters(paramLabel = "QUEUE", defaultValue = "default", arity = "0..1") String queue,
      @Option(names = "--state", paramLabel = "STATE") @Nullable String state,
      @Option(names = "--type", paramLabel = "TYPE") @Nullable String type,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "50") int limit) {
    if (state != null && JobState.of(state).isEmpty()) {
      throw Work.mistake(spec, "--state: " + states());
    }
    return Work.list(
        spec,
        place,
        on -> {
          Listing listing = Listing.of("id", "type", "state", "attempts", "createdAt", "lastError");
          for (Job job : on.jobs().list(new JobQuery(queue, state, type, limit, null)).jobs()) {
            listing.add(
                job.id(),
                job.type(),
                job.state().text(),
                job.history().attempts(),
                job.createdAt(),
                job.history().lastError());
          }
          return listing;
        });
  }

  private static String states() {
    return Arrays.stream(JobState.values()).map(JobState::text).collect(Collectors.joining(", "));
  }

  @Command(name = "show", header = "Show a job.")
  int show(@Mixin Place place, @Parameters(paramLabel = "ID") String id) {
    return Work.show(
        spec,
        place,
        on -> {
          Job job = on.jobs().inspect(id, true);
          Job.Lease lease = job.lease();
          return Listing.of(
                  "id",
                  "type",
                  "queue",
                  "state",
                  "attempts",
                  "maxAttempts",
                  "deliveries",
                  "priority",
                  "createdAt",
                  "runAt",
                  "lease",
                  "percent",
                  "note",
                  "lastError",
                  "dlqReason",
                  "payload")
              .add(
                  job.id(),
                  job.type(),
                  job.queue(),
                  job.state().text(),
                  job.history().attempts(),
                  job.spec().maxAttempts(),
                  job.history().deliveries(),
                  job.spec().priority(),
                  job.createdAt(),
                  job.spec().runAt(),
                  lease == null ? null : lease.owner() + " until " + lease.expiresAt(),
                  job.progress().percent(),
                  job.progress().note(),
                  job.history().lastError(),
                  job.history().dead().reason(),
                  Text.payload(job.spec().payload(), true));
        });
  }

  @Command(name = "explain", header = "Say why a job stands where it stands.")
  int explain(@Mixin Place place, @Parameters(paramLabel = "ID") String id) {
    return Work.list(
        spec,
        place,
        on -> {
          Listing listing = Listing.of("state", "reason", "text", "until", "action");
          Explanation why = on.jobs().explain(id);
          for (Explanation.Reason reason : why.reasons()) {
            listing.add(
                why.state().text(), reason.code(), reason.text(), reason.until(), reason.action());
          }
          return listing;
        });
  }

  @Command(name = "stats", header = "Count the jobs of a queue by state.")
  int stats(
      @Mixin Place place,
      @Parameters(paramLabel = "QUEUE", defaultValue = "default", arity = "0..1") String queue) {
    return Work.list(
        spec,
        place,
        on -> {
          Listing listing = Listing.of("state", "count", "capped");
          for (Map.Entry<JobState, JobStats.Count> entry :
              on.jobs().queues().stats(queue).counts().entrySet()) {
            listing.add(
                entry.getKey().text(), entry.getValue().count(), entry.getValue().isCapped());
          }
          return listing;
        });
  }

  @Command(name = "retry", header = "Requeue jobs that are dead, cancelled or scheduled.")
  int retry(
      @Mixin Place place,
      @Parameters(paramLabel = "ID", arity = "1..1000") List<String> ids,
      @Option(names = "--run-at", paramLabel = "INSTANT") @Nullable String runAt,
      @Option(names = "--keep-attempts") boolean keepAttempts) {
    Instant at = runAt == null ? null : Moments.parse(spec, "--run-at", runAt);
    List<String> refused = new ArrayList<>();
    Work.list(
        spec,
        place,
        on -> {
          Listing listing = Listing.of("id", "result");
          for (Requeued one : on.jobs().requeue(ids, new Requeue(null, at, !keepAttempts))) {
            JobError error = one.error();
            listing.add(one.id(), error == null ? "requeued" : error.text());
            if (error != null) {
              refused.add(one.id());
            }
          }
          return listing;
        });
    return unlessRefused(refused, "not requeued: ");
  }

  private static int unlessRefused(List<String> ids, String what) {
    if (ids.isEmpty()) {
      return Exit.OK;
    }
    Problem.say(what + String.join(" ", ids));
    return Exit.FAILED;
  }

  @Command(name = "cancel", header = "End jobs that wait, and ask those that run to end.")
  int cancel(
      @Mixin Place place, @Parameters(paramLabel = "ID", arity = "1..1000") List<String> ids) {
    List<String> unknown = new ArrayList<>();
    Work.list(
        spec,
        place,
        on -> {
          Listing listing = Listing.of("id", "result");
          for (Cancelled one : on.jobs().cancel(ids)) {
            listing.add(one.id(), one.result().text());
            if (one.result() == Cancelled.Result.NOT_FOUND) {
              unknown.add(one.id());
            }
          }
          return listing;
        });
    return unlessRefused(unknown, "there is no job ");
  }

  @Command(name = "redrive", header = "Requeue the dead letters of a queue, oldest first.")
  int redrive(
      @Mixin Place place,
      @Parameters(paramLabel = "QUEUE") String queue,
      @Option(names = "--type", paramLabel = "TYPE") @Nullable String type,
      @Option(names = "--spread", paramLabel = "TIME", defaultValue = "0") Duration spread,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "1000") int limit) {
    return Work.change(
        spec,
        place,
        on -> {
          Bulk bulk =
              on.jobs().dead().requeue(DeadQuery.of(queue).type(type).limit(limit), true, spread);
          return bulk.count() + " requeued" + (bulk.more() ? ", there are more" : "");
        });
  }

  @Command(name = "clear", header = "Delete the dead letters of a queue, oldest first.")
  int clear(
      @Mixin Place place,
      @Parameters(paramLabel = "QUEUE") String queue,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "1000") int limit) {
    return Work.change(
        spec,
        place,
        on -> {
          Bulk bulk = on.jobs().dead().purge(DeadQuery.of(queue).limit(limit));
          return bulk.count() + " deleted" + (bulk.more() ? ", there are more" : "");
        });
  }

  @Command(name = "pause", header = "Give no jobs of a queue to workers.")
  int pause(@Mixin Place place, @Parameters(paramLabel = "QUEUE") String queue) {
    return Work.change(
        spec,
        place,
        on -> {
          on.jobs().queues().pause(queue);
          return "paused " + queue;
        });
  }

  @Command(name = "resume", header = "Give them again.")
  int resume(@Mixin Place place, @Parameters(paramLabel = "QUEUE") String queue) {
    return Work.change(
        spec,
        place,
        on -> {
          on.jobs().queues().resume(queue);
          return "resumed " + queue;
        });
  }

  @Command(name = "schedules", header = "List recurring jobs.")
  int schedules(@Mixin Place place) {
    return Work.list(
        spec,
        place,
        on -> {
          Listing listing = Listing.of("name", "cron", "zone", "enabled", "nextAt", "lastJobId");
          for (Schedule schedule : on.jobs().schedules().list()) {
            listing.add(
                schedule.name(),
                schedule.spec().cron(),
                schedule.spec().zone(),
                schedule.isEnabled(),
                schedule.nextAt(),
                schedule.lastJobId());
          }
          return listing;
        });
  }

  @Command(name = "schedule", header = "Make or replace a recurring job.")
  int schedule(
      @Mixin Place place,
      @Parameters(paramLabel = "NAME") String name,
      @Option(names = "--cron", paramLabel = "CRON", required = true, description = "When.")
          String cron,
      @Option(names = "--type", paramLabel = "TYPE", required = true, description = "Of its jobs.")
          String type,
      @Option(names = "--queue", paramLabel = "QUEUE", description = "[default].")
          @Nullable String queue,
      @Option(names = "--payload", paramLabel = "TEXT", defaultValue = "") String payload,
      @Option(
              names = "--zone",
              paramLabel = "ZONE",
              description = "Whose clock [UTC].",
              defaultValue = "UTC")
          String zone) {
    NewJob job = NewJob.of(type).queue(queue).payload(payload);
    return Work.change(
        spec,
        place,
        on -> {
          Schedule made = on.jobs().schedules().put(ScheduleSpec.of(name, cron, job).zone(zone));
          return "scheduled " + name + ", next at " + made.nextAt();
        });
  }

  @Command(name = "unschedule", header = "Remove a recurring job; jobs that it made stay.")
  int unschedule(@Mixin Place place, @Parameters(paramLabel = "NAME") String name) {
    return Work.change(
        spec,
        place,
        on -> {
          on.jobs().schedules().delete(name);
          return "removed " + name;
        });
  }
}
