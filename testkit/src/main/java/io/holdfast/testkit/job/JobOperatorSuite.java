package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Cancelled;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobPage;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobState;
import io.holdfast.job.Jobs;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.Requeued;
import io.holdfast.job.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the suites about operators have in common. */
abstract class JobOperatorSuite extends JobSuite {
  protected static final Duration HOUR = Duration.ofHours(1);

  /** A new job in this state. Nothing may be ready in {@link #QUEUE}. */
  protected String in(JobState state) {
    return in(state, draft());
  }

  /** This job, brought into this state. Nothing may be ready in {@link #QUEUE}. */
  protected String in(JobState state, NewJob job) {
    return switch (state) {
      case READY -> enqueue(job);
      case SCHEDULED -> enqueue(job.runIn(HOUR));
      case GATED -> enqueue(job.limitedBy("key").runIn(HOUR));
      case INFLIGHT -> leased(job).id();
      case DONE -> {
        LeasedJob leased = leased(job);
        settle(new Settlement.Ack(leased.held(), new byte[] {1}));
        yield leased.id();
      }
      case CANCELLED -> {
        String id = enqueue(job.runIn(HOUR));
        assertThat(cancel(id)).isEqualTo(Cancelled.Result.CANCELLED);
        yield id;
      }
      case DLQ -> {
        LeasedJob leased = leased(job);
        jobs.fail(leased.held(), "broken");
        yield leased.id();
      }
    };
  }

  protected Cancelled.Result cancel(String id) {
    List<Cancelled> cancelled = jobs.cancel(List.of(id));
    assertThat(cancelled).extracting(Cancelled::id).containsExactly(id);
    return cancelled.get(0).result();
  }

  /** Why a job was not requeued; null: it was. */
  protected @Nullable JobError requeue(String id, Requeue how) {
    List<Requeued> requeued = jobs.requeue(List.of(id), how);
    assertThat(requeued).extracting(Requeued::id).containsExactly(id);
    return requeued.get(0).error();
  }

  /** The ids of all pages of a list. */
  protected List<String> all(JobQuery query) {
    List<String> ids = new ArrayList<>();
    JobPage page = jobs.list(query);
    page.jobs().forEach(job -> ids.add(job.id()));
    while (page.nextCursor() != null) {
      page = jobs.list(query.after(page.nextCursor()));
      page.jobs().forEach(job -> ids.add(job.id()));
      assertThat(ids).as("pages come to an end").hasSizeLessThan(100_000);
    }
    return ids;
  }

  /** The jobs of {@link #QUEUE} in this state, in the order of their list. */
  protected List<String> ids(JobState state) {
    return all(JobQuery.of(QUEUE).state(state).limit(500));
  }

  protected static List<String> idsOf(List<LeasedJob> leased) {
    return leased.stream().map(LeasedJob::id).toList();
  }

  protected static List<String> idsOf(JobPage page) {
    return page.jobs().stream().map(Job::id).toList();
  }

  /** Lets the sweep do all it can. */
  protected void sweep() {
    while (jobs.runDuty(Jobs.DutyName.SWEEP) > 0) {
      // there may be more
    }
  }
}
