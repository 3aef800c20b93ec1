package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialJobSide.CALL;

import io.holdfast.job.Job;
import io.holdfast.job.JobParts;
import io.holdfast.job.JobParts.Part;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Reserved;
import io.holdfast.job.Schedule;
import io.holdfast.job.WorkerInfo;
import io.holdfast.testkit.ManualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What operations look at before they say what exactly they ask: the memory store's present state,
 * the clock, and the runs that were given out. There are few names, so that operations meet.
 */
final class DifferentialJobModel {
  static final List<String> QUEUES = List.of("q", "r");

  /** Limit keys; jobs of the last one come by a queue's default only. */
  static final List<String> KEYS = List.of("k", "l", "m");

  /** Every job is in one of these. */
  static final List<Part> PARTS =
      List.of(
          Part.INFLIGHT, Part.READY, Part.DUE, Part.SCHEDULED, Part.GATED, Part.DLQ, Part.FINISHED);

  private static final int ALL = 10_000;

  final DifferentialJobSide memory;
  private final ManualTime time;
  private final List<Grip> grips = new ArrayList<>();
  private int lastJob;

  /** A run that was given out, by the names of its job and its token. */
  record Grip(String job, String token) {}

  DifferentialJobModel(DifferentialJobSide memory, ManualTime time) {
    this.memory = memory;
    this.time = time;
  }

  Instant now() {
    return Instant.ofEpochMilli(time.nowMs());
  }

  void advance(long ms) {
    time.advanceMs(ms);
  }

  String newJob() {
    return "j%03d".formatted(++lastJob);
  }

  /** Those that can be named. */
  List<Job> jobs() {
    return QUEUES.stream()
        .flatMap(queue -> PARTS.stream().flatMap(part -> jobs(queue, part)))
        .toList();
  }

  private Stream<Job> jobs(String queue, Part part) {
    JobParts.Request all = new JobParts.Request(queue, part, null, ALL, null);
    return DifferentialJobLook.parts(memory).list(all, CALL).jobs().stream()
        .filter(job -> memory.isNamed(job.id()));
  }

  List<Job> jobs(JobState... states) {
    List<JobState> asked = List.of(states);
    return jobs().stream().filter(job -> asked.contains(job.state())).toList();
  }

  Optional<Job> job(String name) {
    return memory.first().reader().find(memory.id(name), false, CALL);
  }

  String name(Job job) {
    return memory.name(job.id());
  }

  /** A stored job, mostly in one of these states; null if there is none at all. */
  @Nullable Job any(DifferentialJobDice dice, JobState... states) {
    List<Job> wanted = dice.once(8) ? List.of() : jobs(states);
    List<Job> found = wanted.isEmpty() ? jobs() : wanted;
    return found.isEmpty() ? null : dice.of(found);
  }

  JobQueueInfo queue(String name) {
    return memory.first().admin().queues(name, CALL).get(0);
  }

  List<Schedule> schedules() {
    return memory.first().schedules().list(CALL);
  }

  List<WorkerInfo> workers() {
    return memory.first().admin().workers(CALL);
  }

  /** Remembers what the memory store gave out. */
  void given(Reserved reserved) {
    for (LeasedJob leased : reserved.jobs()) {
      grips.add(new Grip(name(leased.job()), memory.run(leased.job())));
    }
  }

  /** The run of an inflight job. */
  Grip grip(Job job) {
    return new Grip(name(job), memory.run(job));
  }

  boolean isInflight(Grip grip) {
    return job(grip.job)
        .filter(job -> job.state() == JobState.INFLIGHT)
        .filter(job -> memory.run(job).equals(grip.token))
        .isPresent();
  }

  boolean isHeld(Grip grip) {
    return isInflight(grip)
        && job(grip.job).filter(job -> job.lease().expiresAt().isAfter(now())).isPresent();
  }

  boolean isAskedToEnd(Grip grip) {
    return isHeld(grip) && job(grip.job).filter(Job::isCancelRequested).isPresent();
  }

  /** One of the latest runs that are so; null if there is none. */
  @Nullable Grip grip(DifferentialJobDice dice, Predicate<Grip> which) {
    List<Grip> latest =
        IntStream.rangeClosed(1, grips.size())
            .mapToObj(back -> grips.get(grips.size() - back))
            .filter(which)
            .limit(8)
            .toList();
    return latest.isEmpty() ? null : dice.of(latest);
  }
}
