package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.job.Job;
import io.holdfast.job.JobCodec;
import io.holdfast.job.JobContext;
import io.holdfast.job.JobContext.EndReason;
import io.holdfast.job.JobError;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.Jobs;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.testkit.Guarantee;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a handler gets, and what it can do. */
public abstract class JobWorkerContextContract extends JobWorkerSuite {
  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  @Guarantee("W21")
  void middleware_wraps_in_the_order_of_registration() {
    String id = enqueue(draft("a"));
    JobWorker worker =
        worker()
            .middleware(
                (context, next) -> {
                  ran.add("outer begins " + context.type());
                  Object result = next.run();
                  ran.add("outer ends");
                  return result + "!";
                })
            .middleware(
                (context, next) -> {
                  ran.add("inner begins");
                  Object result = next.run();
                  ran.add("inner ends");
                  return result + "?";
                })
            .handler(TYPE, String.class, (text, context) -> text)
            .start();

    run(worker);

    assertThat(ran)
        .containsExactly("outer begins " + TYPE, "inner begins", "inner ends", "outer ends");
    assertThat(end(id).output()).asString().isEqualTo("a?!");
  }

  @Test
  @Guarantee("W21")
  void middleware_may_answer_itself_or_turn_a_failure_into_success() {
    enqueue("skipped", "caught");
    JobWorker worker =
        worker()
            .middleware(
                (context, next) -> {
                  if (context.fence() == 1 && ran.isEmpty()) {
                    ran.add("skipped");
                    return null;
                  }
                  try {
                    return next.run();
                  } catch (IllegalStateException e) {
                    ran.add("caught");
                    return null;
                  }
                })
            .action(
                TYPE,
                String.class,
                (text, context) -> {
                  ran.add("handled " + text);
                  throw new IllegalStateException();
                })
            .start();

    run(worker);

    assertThat(ran).containsExactly("skipped", "handled caught", "caught");
    assertThat(count(JobState.DONE)).isEqualTo(2);
  }

  @Test
  @Guarantee("W21")
  void what_middleware_throws_is_a_failure_of_the_job() {
    String id = enqueue(draft("a"));
    JobWorker worker =
        recording()
            .middleware(
                (context, next) -> {
                  throw new IllegalStateException("not today");
                })
            .start();

    run(worker);

    assertThat(ran).isEmpty();
    assertThat(history(id).lastError()).isEqualTo("handler error: not today");
  }

  /** A value with a codec of its own. */
  private record Point(int x, int y) {}

  @Test
  @Guarantee("W22")
  void typed_payloads_and_outputs_round_trip() {
    String id = enqueue(draft("3,4"));
    JobWorker worker =
        worker()
            .codec(new PointCodec())
            .handler(TYPE, Point.class, (point, context) -> new Point(point.y(), point.x()))
            .start();

    run(worker);

    assertThat(end(id).output()).asString().isEqualTo("4,3");
  }

  /** Writes points as two numbers. */
  private static final class PointCodec implements JobCodec {
    @Override
    public byte[] encode(@Nullable Object value) {
      Point point = (Point) Objects.requireNonNull(value);
      return bytes(point.x() + "," + point.y());
    }

    @Override
    public <T> @Nullable T decode(byte[] bytes, Class<T> type) {
      String[] parts = new String(bytes, StandardCharsets.UTF_8).split(",");
      return type.cast(new Point(Integer.parseInt(parts[0]), Integer.parseInt(parts[1])));
    }
  }

  @Test
  @Guarantee("W22")
  void bytes_and_text_need_no_codec() {
    String id = enqueue(draft().payload(new byte[] {1, 2, 3}));
    JobWorker worker =
        worker()
            .handler(TYPE, byte[].class, (payload, context) -> new byte[] {payload[2], payload[0]})
            .start();

    run(worker);

    assertThat(end(id).output()).containsExactly(3, 1);
  }

  @Test
  @Guarantee("W22")
  void an_output_beyond_the_limit_is_left_out() {
    List<String> ids = enqueue("65536", "65537");
    JobWorker worker =
        worker()
            .handler(TYPE, String.class, (size, context) -> new byte[Integer.parseInt(size)])
            .start();

    run(worker);

    assertThat(end(ids.get(0)).output()).hasSize(65536);
    assertThat(state(ids.get(1))).isEqualTo(JobState.DONE);
    assertThat(end(ids.get(1)).output()).isNull();
  }

  @Test
  @Guarantee("W23")
  void the_context_tells_the_truth() {
    NewJob job =
        draft("a")
            .maxAttempts(7)
            .timeout(Duration.ofSeconds(20))
            .traced("trace")
            .imported(new NewJob.Import(2, "before", null, null));
    String id = enqueue(job);

    run(patient().start());

    JobContext context = pending.context("a");
    assertThat(context.id()).isEqualTo(id);
    assertThat(context.type()).isEqualTo(TYPE);
    assertThat(context.queue()).isEqualTo(QUEUE);
    assertThat(context.attempt()).isEqualTo(3);
    assertThat(context.maxAttempts()).isEqualTo(7);
    assertThat(context.fence()).isEqualTo(1);
    assertThat(context.held().id()).isEqualTo(id);
    assertThat(context.traceId()).contains("trace");
    assertThat(context.slot()).isEmpty();
    assertThat(context.checkpoint()).isEmpty();
    assertThat(context.endReason()).isEmpty();
    assertThat(context.cancellation().isCancelled()).isFalse();
    assertThat(context.deadlineNanos()).hasValue(time.nanos() + TimeUnit.SECONDS.toNanos(20));
    context.throwIfCancelled();
  }

  @Test
  @Guarantee("W23")
  void without_a_maximum_of_its_own_a_run_is_told_the_policys() {
    enqueue("a");

    run(patient().start());

    assertThat(pending.context("a").maxAttempts()).isEqualTo(25);
    assertThat(pending.context("a").deadlineNanos()).isEmpty();
    assertThat(pending.context("a").traceId()).isEmpty();
  }

  @Test
  @Guarantee("W23")
  void a_run_of_a_recurring_job_knows_its_slot() {
    jobs.schedules().put(ScheduleSpec.of("s", "@every 20s", draft("a")));
    time.advance(Duration.ofSeconds(20));
    jobs.runDuty(Jobs.DutyName.TICK);

    run(patient().start());

    assertThat(pending.context("a").slot()).contains(instant());
  }

  @Test
  @Guarantee("W23")
  void progress_can_be_seen_from_outside() {
    String id = enqueue(draft("a"));
    run(patient().start());

    pending.context("a").progress(40, "half way");

    Job.Progress progress = jobs.inspect(id).progress();
    assertThat(progress.percent()).isEqualTo(40);
    assertThat(progress.note()).isEqualTo("half way");
  }

  @Test
  @Guarantee("W23")
  void a_checkpoint_survives_a_retry() {
    enqueue("a");
    JobWorker worker = patient().start();
    run(worker);
    byte[] state = bytes("page 7");
    pending.context("a").saveCheckpoint(state);
    state[0] = 'x';
    assertThat(pending.context("a").checkpoint()).hasValueSatisfying(saved -> same(saved, "page"));

    pending.fail("a", new IllegalStateException());
    run(worker);
    time.advance(Duration.ofSeconds(2));
    run(worker);

    JobContext second = pending.context("a");
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.fence()).isEqualTo(2);
    assertThat(second.checkpoint()).hasValueSatisfying(saved -> same(saved, "page 7"));
  }

  private static void same(byte[] saved, String start) {
    assertThat(saved).asString(StandardCharsets.UTF_8).startsWith(start);
  }

  @Test
  @Guarantee("W23")
  void reporting_on_a_lost_lease_fails_and_ends_the_run() {
    enqueue("a");
    run(patient().start());
    time.advance(LEASE);
    LeasedJob taken = reserve();
    JobContext context = pending.context("a");

    failing(JobError.LEASE_MISMATCH, () -> context.progress(1, null));
    failing(JobError.LEASE_MISMATCH, () -> context.saveCheckpoint(bytes("x")));

    assertThat(context.endReason()).contains(EndReason.LEASE_LOST);
    assertThat(catchThrowable(context::throwIfCancelled)).isInstanceOf(CancellationException.class);
    assertThat(jobs.inspect(taken.id()).progress().checkpoint()).isNull();
  }

  @Test
  @Guarantee("W23")
  void a_child_inherits_the_trace_unless_it_names_another() {
    enqueue(draft("a").traced("family"));
    run(patient().start());
    JobContext context = pending.context("a");

    String child = context.enqueue(NewJob.of("child")).id();
    String stranger = context.enqueue(NewJob.of("child").traced("own")).id();

    assertThat(jobs.inspect(child).spec().keys().trace()).isEqualTo("family");
    assertThat(jobs.inspect(stranger).spec().keys().trace()).isEqualTo("own");
    assertThat(jobs.trace("family")).hasSize(2);
  }

  @Test
  @Guarantee("W23")
  void a_report_that_makes_no_sense_does_not_end_the_run() {
    enqueue("a");
    run(patient().start());
    JobContext context = pending.context("a");

    failing(JobError.INVALID_ARGUMENT, () -> context.progress(101, null));
    failing(JobError.INVALID_ARGUMENT, () -> context.saveCheckpoint(new byte[64 * 1024 + 1]));

    assertThat(context.endReason()).isEmpty();
  }
}
