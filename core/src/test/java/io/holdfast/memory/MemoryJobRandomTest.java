package io.holdfast.memory;

import static io.holdfast.memory.MemoryJobScene.CALL;
import static io.holdfast.memory.MemoryJobScene.QUEUE;
import static io.holdfast.memory.MemoryJobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.DeadQuery;
import io.holdfast.job.Job;
import io.holdfast.job.JobParts;
import io.holdfast.job.JobParts.Part;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds after any sequence of calls. */
class MemoryJobRandomTest {
  private static final int STEPS = 3_000;
  private static final int MOST_RUNNING = 2;
  private static final String[] KEYS = {null, null, "a", "b"};
  private static final Part[] PARTS = {
    Part.INFLIGHT, Part.READY, Part.DUE, Part.SCHEDULED, Part.GATED, Part.DLQ, Part.FINISHED
  };

  private final MemoryJobScene scene = new MemoryJobScene();
  private final List<LeasedJob> leases = new ArrayList<>();
  private final Map<String, Integer> fences = new HashMap<>();
  private int made;
  private int deleted;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void no_job_is_lost_or_in_two_places_and_no_limit_is_passed(long seed) {
    Random random = new Random(seed);
    scene.limit("*", MOST_RUNNING);
    scene.configure(JobQueueConfig.of(QUEUE).deliveryLimit(3).keepDone(Duration.ofSeconds(20)));

    for (int i = 0; i < STEPS; i++) {
      step(random);
      if (i % 50 == 0) {
        check();
      }
    }
    check();
  }

  private void step(Random random) {
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> enqueue(random);
      case 3, 4 -> reserve(1 + random.nextInt(3));
      case 5, 6, 7 -> settle(random);
      case 8 -> scene.pass(Duration.ofMillis(random.nextInt(4_000)));
      case 9 -> scene.jobs.upkeep().sweep(CALL);
      case 10 -> operate(random);
      default -> deleted += scene.jobs.upkeep().retain(CALL);
    }
  }

  private void enqueue(Random random) {
    NewJob draft =
        job("j" + made)
            .priority(random.nextInt(3) - 1)
            .limitedBy(KEYS[random.nextInt(KEYS.length)])
            .runIn(random.nextBoolean() ? null : Duration.ofMillis(random.nextInt(5_000)))
            .once("k" + random.nextInt(500));
    if (!scene.enqueued(draft).get(0).existed()) {
      made++;
    }
  }

  private void reserve(int limit) {
    Reserved reserved = scene.reserve(limit);
    for (LeasedJob leased : reserved.jobs()) {
      assertThat(leased.fence()).isGreaterThan(fences.getOrDefault(leased.id(), 0));
      fences.put(leased.id(), leased.fence());
    }
    leases.addAll(reserved.jobs());
  }

  /** Stale holders are among those who settle. */
  private void settle(Random random) {
    if (leases.isEmpty()) {
      return;
    }
    LeasedJob leased = leases.remove(random.nextInt(leases.size()));
    Duration delay = random.nextBoolean() ? null : Duration.ofMillis(random.nextInt(3_000));
    switch (random.nextInt(5)) {
      case 0 -> scene.ack(leased);
      case 1 -> scene.retry(leased, delay);
      case 2 -> scene.settle(Settlement.Fail.of(leased.held(), "no"));
      case 3 -> scene.settle(new Settlement.Release(leased.held(), delay));
      default -> scene.jobs.store().extend(List.of(leased.held()), Duration.ofSeconds(9), CALL);
    }
  }

  private void operate(Random random) {
    String id = "j" + random.nextInt(made + 1);
    switch (random.nextInt(3)) {
      case 0 -> scene.jobs.store().cancel(List.of(id), CALL);
      case 1 -> scene.jobs.admin().requeue(List.of(id), Requeue.NOW, CALL);
      default ->
          scene
              .jobs
              .admin()
              .requeueDead(DeadQuery.of(QUEUE).limit(2), true, Duration.ofSeconds(2), CALL);
    }
  }

  private void check() {
    Set<String> seen = new HashSet<>();
    Map<String, Integer> held = new HashMap<>();
    for (Part part : PARTS) {
      for (Job job : list(part)) {
        assertThat(seen.add(job.id())).as(job.id()).isTrue();
        String key = job.spec().keys().limit();
        if (key != null && !job.state().isFinished() && job.state() != JobState.GATED) {
          held.merge(key, 1, Integer::sum);
        }
      }
    }
    assertThat(seen).hasSize(made - deleted);
    assertThat(held.values()).allMatch(count -> count <= MOST_RUNNING);
  }

  /** Page by page; the order of the places is that of the list. */
  private List<Job> list(Part part) {
    List<Job> jobs = new ArrayList<>();
    JobParts.Position after = null;
    do {
      JobParts.Answer page =
          scene.parts.list(new JobParts.Request(QUEUE, part, null, 7, after), CALL);
      jobs.addAll(page.jobs());
      after = page.next();
    } while (after != null);
    assertThat(jobs).allMatch(job -> Arrays.asList(states(part)).contains(job.state()));
    return jobs;
  }

  private static JobState[] states(Part part) {
    return switch (part) {
      case INFLIGHT -> new JobState[] {JobState.INFLIGHT};
      case READY, DUE -> new JobState[] {JobState.READY};
      case SCHEDULED -> new JobState[] {JobState.SCHEDULED};
      case GATED -> new JobState[] {JobState.GATED};
      case DLQ -> new JobState[] {JobState.DLQ};
      default -> new JobState[] {JobState.DONE, JobState.CANCELLED};
    };
  }
}
