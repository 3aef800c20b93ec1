package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobPage;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of jobs, page by page. */
public abstract class JobListContract extends JobOperatorSuite {
  private static final JobQuery ALL = JobQuery.of(QUEUE);
  private static final int EACH = 5;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 500})
  @Guarantee("J72")
  void lists_page_through_every_state_without_gaps_or_repeats(int limit) {
    List<String> expected = everyState();

    assertThat(all(ALL.limit(limit)))
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  @Guarantee("J72")
  void a_list_of_all_states_takes_one_after_the_other() {
    everyState();
    List<String> inTurn = new ArrayList<>();
    inTurn.addAll(ids(JobState.INFLIGHT));
    inTurn.addAll(ids(JobState.READY));
    inTurn.addAll(ids(JobState.SCHEDULED));
    inTurn.addAll(ids(JobState.GATED));
    inTurn.addAll(ids(JobState.DLQ));

    List<String> listed = all(ALL.limit(4));

    assertThat(listed.subList(0, inTurn.size())).containsExactlyElementsOf(inTurn);
    List<String> finished = new ArrayList<>(ids(JobState.DONE));
    finished.addAll(ids(JobState.CANCELLED));
    assertThat(listed.subList(inTurn.size(), listed.size()))
        .containsExactlyInAnyOrderElementsOf(finished);
  }

  @ParameterizedTest
  @EnumSource
  @Guarantee("J72")
  void a_list_of_one_state_pages_without_gaps_or_repeats(JobState state) {
    everyState();

    for (int limit = 1; limit <= 2 * EACH + 1; limit++) {
      List<String> listed = all(ALL.state(state).limit(limit));

      assertThat(listed).hasSizeGreaterThanOrEqualTo(EACH).doesNotHaveDuplicates();
      assertThat(listed).allSatisfy(id -> assertThat(state(id)).isEqualTo(state));
      assertThat(listed).containsExactlyElementsOf(ids(state));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"READY", "INFLIGHT", "DONE", "CANCELLED", "DLQ"})
  @Guarantee("J72")
  void jobs_of_one_instant_are_listed_by_id(JobState state) {
    List<NewJob> drafts = new ArrayList<>();
    Instant created = instant();
    for (String id : List.of("d", "a", "c", "b", "e")) {
      drafts.add(draft().id(id).imported(new NewJob.Import(0, "", null, created)));
    }
    jobs.enqueue(drafts);
    bring(drafts.stream().map(draft -> Objects.requireNonNull(draft.id())).toList(), state);

    for (int limit = 1; limit <= 6; limit++) {
      assertThat(all(ALL.state(state).limit(limit))).containsExactly("a", "b", "c", "d", "e");
    }
  }

  private void bring(List<String> ids, JobState state) {
    if (state == JobState.CANCELLED) {
      jobs.cancel(ids);
    } else if (state != JobState.READY) {
      List<LeasedJob> leased = reserve(ids.size());
      if (state == JobState.DONE) {
        jobs.settle(leased.stream().map(one -> Settlement.Ack.of(one.held())).toList());
      } else if (state == JobState.DLQ) {
        jobs.settle(leased.stream().map(one -> Settlement.Fail.of(one.held(), "x")).toList());
      }
    }
  }

  @Test
  @Guarantee("J72")
  void ready_jobs_are_listed_by_rank_then_by_due_time() {
    String dueLate = enqueue(draft().runIn(Duration.ofSeconds(2)));
    String dueEarly = enqueue(draft().runIn(Duration.ofSeconds(1)));
    String plain = enqueue(draft());
    String urgent = enqueue(draft().priority(1));
    String patient = enqueue(draft().priority(-1));
    time.advance(Duration.ofSeconds(2));

    assertThat(ids(JobState.READY))
        .containsExactly(urgent, plain, patient, dueEarly, dueLate)
        .containsExactlyElementsOf(all(ALL.state(JobState.READY).limit(1)));
  }

  @Test
  @Guarantee("J72")
  void waiting_and_finished_jobs_are_listed_by_their_time() {
    String late = enqueue(draft().runIn(HOUR.plus(MICRO)));
    String early = enqueue(draft().runIn(HOUR));
    assertThat(ids(JobState.SCHEDULED)).containsExactly(early, late);
    cancel(late);
    time.advanceMs(1);
    cancel(early);
    assertThat(ids(JobState.CANCELLED)).containsExactly(late, early);

    enqueue("a", "b");
    LeasedJob longer = jobs.reserve(request(1).leaseFor(LEASE.plus(MICRO))).jobs().get(0);
    LeasedJob shorter = reserve();
    assertThat(ids(JobState.INFLIGHT)).containsExactly(shorter.id(), longer.id());
    jobs.fail(longer.held(), null);
    time.advanceMs(1);
    jobs.fail(shorter.held(), null);
    assertThat(ids(JobState.DLQ)).containsExactly(longer.id(), shorter.id());
  }

  @Test
  @Guarantee("J72")
  void gated_jobs_are_listed_by_key_then_by_time() {
    String b2 = enqueue(draft().limitedBy("b").runIn(HOUR.plus(MICRO)));
    String a2 = enqueue(draft().limitedBy("a").runIn(HOUR.plus(MICRO)));
    String b1 = enqueue(draft().limitedBy("b").runIn(HOUR));
    String upper = enqueue(draft().limitedBy("Z").runIn(HOUR));
    String a1 = enqueue(draft().limitedBy("a").runIn(HOUR));

    for (int limit = 1; limit <= 6; limit++) {
      assertThat(all(ALL.state(JobState.GATED).limit(limit)))
          .containsExactly(upper, a1, a2, b1, b2);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 500})
  @Guarantee("J72")
  void a_list_can_be_of_one_type(int limit) {
    everyState();
    List<String> others = new ArrayList<>();
    others.add(in(JobState.SCHEDULED, NewJob.of("other").queue(QUEUE)));
    others.add(in(JobState.GATED, NewJob.of("other").queue(QUEUE)));
    others.add(in(JobState.CANCELLED, NewJob.of("other").queue(QUEUE)));
    others.add(in(JobState.READY, NewJob.of("other").queue(QUEUE)));

    assertThat(all(ALL.type("other").limit(limit))).containsExactlyInAnyOrderElementsOf(others);
    assertThat(all(ALL.type("other").state(JobState.READY).limit(limit)))
        .containsExactly(others.get(3));
    assertThat(all(ALL.type("nobody").limit(limit))).isEmpty();
  }

  @Test
  @Guarantee("J72")
  void a_list_tells_all_but_payloads_and_only_of_its_queue() {
    String id = enqueue(draft("secret").priority(3).once("key").traced("trace"));
    enqueue(draft().queue("other"));

    JobPage page = jobs.list(ALL);

    assertThat(idsOf(page)).containsExactly(id);
    assertThat(page.nextCursor()).isNull();
    assertThat(page.jobs().get(0).spec().payload()).isEmpty();
    same(page.jobs().get(0), jobs.inspect(id, false));
    assertThat(text(jobs.inspect(id))).isEqualTo("secret");
  }

  @Test
  @Guarantee("J72")
  void an_unknown_state_or_queue_is_an_empty_page() {
    enqueue(draft());

    JobQuery unknown = new JobQuery(QUEUE, "sleeping", null, 50, null);
    assertThat(jobs.list(unknown)).isEqualTo(new JobPage(List.of(), null));
    assertThat(jobs.list(JobQuery.of("nobody"))).isEqualTo(new JobPage(List.of(), null));
  }

  @Test
  @Guarantee("J72")
  void a_page_has_from_one_to_five_hundred_jobs() {
    jobs.enqueue(Collections.nCopies(501, draft()));

    failing(JobError.INVALID_LIMIT, () -> jobs.list(ALL.limit(0)));
    failing(JobError.INVALID_LIMIT, () -> jobs.list(ALL.limit(501)));
    failing(JobError.QUEUE_REQUIRED, () -> jobs.list(JobQuery.of(" ")));
    assertThat(jobs.list(ALL).jobs()).hasSize(50);
    assertThat(jobs.list(ALL.limit(500)).jobs()).hasSize(500);
    assertThat(all(ALL.limit(500))).hasSize(501);
  }

  @Test
  @Guarantee("J72")
  void a_page_goes_on_behind_a_job_that_is_gone() {
    List<String> ids = enqueue("a", "b", "c", "d");
    JobPage first = jobs.list(ALL.state(JobState.READY).limit(2));
    jobs.cancel(ids.subList(0, 3));

    JobPage second = jobs.list(ALL.state(JobState.READY).limit(2).after(first.nextCursor()));

    assertThat(idsOf(second)).containsExactly(ids.get(3));
  }

  @Test
  @Guarantee("J73")
  void a_foreign_cursor_is_refused() {
    enqueue("a", "b", "c");
    String cursor = jobs.list(ALL.limit(1)).nextCursor();
    assertThat(cursor).isNotNull();

    for (JobQuery other :
        List.of(
            JobQuery.of("other"),
            ALL.state(JobState.READY),
            ALL.type(TYPE),
            ALL.state(JobState.DLQ))) {
      failing(JobError.INVALID_CURSOR, () -> jobs.list(other.after(cursor)));
    }
    assertThat(jobs.list(ALL.limit(7).after(cursor)).jobs()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "x", "not base64!", "e30", "eyJ2IjoyfQ", "MgA", "\uD83D\uDE00"})
  @Guarantee("J73")
  void what_was_never_a_cursor_is_refused(String text) {
    enqueue("a", "b");

    failing(JobError.INVALID_CURSOR, () -> jobs.list(ALL.after(text)));
    failing(
        JobError.INVALID_CURSOR, () -> jobs.list(new JobQuery(QUEUE, "sleeping", null, 50, text)));
  }

  @Test
  @Guarantee("J73")
  void a_cursor_that_was_tampered_with_never_harms() {
    enqueue("a", "b");
    String cursor = Objects.requireNonNull(jobs.list(ALL.limit(1)).nextCursor());
    byte[] bytes = Base64.getUrlDecoder().decode(cursor);

    for (int i = 0; i < bytes.length; i++) {
      byte[] changed = bytes.clone();
      changed[i] ^= 1;
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(changed);
      try {
        assertThat(jobs.list(ALL.after(text)).jobs()).hasSizeLessThanOrEqualTo(2);
      } catch (JobException e) {
        assertThat(e.error()).isEqualTo(JobError.INVALID_CURSOR);
      }
    }
    failing(JobError.INVALID_CURSOR, () -> jobs.list(ALL.after(cursor.substring(2))));
    failing(
        JobError.INVALID_CURSOR,
        () ->
            jobs.list(
                ALL.after(
                    Base64.getUrlEncoder()
                        .encodeToString("a\0b\0c".getBytes(StandardCharsets.UTF_8)))));
  }

  @Test
  @Guarantee("J74")
  void done_jobs_are_listed_as_done() {
    String done = in(JobState.DONE);
    String cancelled = in(JobState.CANCELLED);
    String dead = in(JobState.DLQ);

    assertThat(ids(JobState.DONE)).containsExactly(done);
    assertThat(ids(JobState.CANCELLED)).containsExactly(cancelled);
    assertThat(ids(JobState.DLQ)).containsExactly(dead);
    Job listed = jobs.list(ALL.state(JobState.DONE)).jobs().get(0);
    assertThat(listed.state()).isEqualTo(JobState.DONE);
    same(listed, jobs.inspect(done, false));
  }

  @Test
  @Guarantee("J74")
  void finished_jobs_are_listed_in_the_order_of_their_end() {
    List<String> ended = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      time.advanceMs(1);
      ended.add(in(JobState.DONE));
      time.advanceMs(1);
      ended.add(in(JobState.CANCELLED));
    }

    assertThat(all(ALL.limit(2))).containsExactlyElementsOf(ended);
    assertThat(ids(JobState.DONE)).containsExactly(ended.get(0), ended.get(2), ended.get(4));
    assertThat(ids(JobState.CANCELLED)).containsExactly(ended.get(1), ended.get(3), ended.get(5));
  }

  @Test
  void a_trace_shows_its_jobs_oldest_first() {
    String second = enqueue(draft("b").queue("other").traced(" trace "));
    NewJob.Import older = new NewJob.Import(0, "", null, instant().minusSeconds(1));
    String first = enqueue(draft("a").traced("trace").imported(older));
    enqueue(draft().traced("another"));

    List<Job> trace = jobs.trace("trace");

    assertThat(trace).extracting(Job::id).containsExactly(first, second);
    assertThat(trace.get(0).spec().payload()).isEmpty();
    assertThat(jobs.trace("nobody")).isEmpty();
    failing(JobError.INVALID_ARGUMENT, () -> jobs.trace(" "));
  }

  @Test
  void a_trace_shows_five_hundred_jobs() {
    jobs.enqueue(Collections.nCopies(501, draft().traced("trace")));

    assertThat(jobs.trace("trace"))
        .hasSize(500)
        .isSortedAccordingTo(Comparator.comparing(Job::createdAt));
  }

  /** Several jobs in each state, some of them at one instant; answers all ids. */
  private List<String> everyState() {
    List<String> ids = new ArrayList<>();
    configure(JobQueueConfig.of(QUEUE).limit("key", 1));
    for (JobState state :
        List.of(JobState.DONE, JobState.CANCELLED, JobState.DLQ, JobState.INFLIGHT)) {
      for (int i = 0; i < EACH; i++) {
        ids.add(in(state));
        time.advanceMs(i % 2);
      }
    }
    for (JobState state : List.of(JobState.SCHEDULED, JobState.GATED)) {
      for (int i = 0; i < EACH; i++) {
        ids.add(in(state));
      }
    }
    for (int i = 0; i < EACH; i++) {
      ids.add(enqueue(draft().runIn(Duration.ofMillis(1))));
      ids.add(enqueue(draft().priority(i % 2)));
    }
    time.advanceMs(1);
    return ids;
  }
}
