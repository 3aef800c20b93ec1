package io.holdfast.postgres;

import static io.holdfast.postgres.JobStage.CALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobParts;
import io.holdfast.job.JobParts.Part;
import io.holdfast.job.JobState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs as they are shown. */
@Timeout(60)
class JobReaderTest {
  private static final String SENTINEL = "timestamptz '9999-12-31 23:59:59.999999+00'";

  private final JobStage jobs = JobStage.manual();

  @AfterEach
  void close() {
    jobs.close();
  }

  private String ago(long seconds) {
    return JobStage.literal(jobs.now().minusSeconds(seconds));
  }

  private String ahead(long seconds) {
    return JobStage.literal(jobs.now().plusSeconds(seconds));
  }

  private JobParts.Answer page(Part part, @Nullable String type, int limit) {
    return jobs.reader.list(new JobParts.Request("q", part, type, limit, null), CALL);
  }

  /** Every id of a part, page by page. */
  private List<String> ids(Part part, @Nullable String type, int limit) {
    List<String> ids = new ArrayList<>();
    JobParts.Position after = null;
    do {
      JobParts.Answer answer =
          jobs.reader.list(new JobParts.Request("q", part, type, limit, after), CALL);
      answer.jobs().forEach(job -> ids.add(job.id()));
      after = answer.next();
    } while (after != null);
    return ids;
  }

  private void oneOfEach() {
    jobs.insert("ready2", "", "");
    jobs.insert("ready1", "priority, rank_at", "1, " + ago(60));
    jobs.insert("due2", "run_at", "{now}");
    jobs.insert("due1", "run_at", ago(5));
    jobs.insert("later1", "run_at", "{now} + interval '1 us'");
    jobs.insert("later2", "run_at", ahead(60));
    jobs.insert("gated-b", "run_at, gate_at, limit_key", SENTINEL + ", " + ago(9) + ", 'b'");
    jobs.insert("gated-a", "run_at, gate_at, limit_key", SENTINEL + ", " + ahead(9) + ", 'a'");
    jobs.insert("run1", "status, lease_token, lease_expires_at", "'inflight', 'x', " + ago(1));
    jobs.insert("run2", "status, lease_token, lease_expires_at", "'inflight', 'x', " + ahead(1));
    jobs.insertDead("dead1", Duration.ofSeconds(9));
    jobs.insertDead("dead2", Duration.ofSeconds(8));
    jobs.insert("done1", "status, outcome, finished_at", "'done', 'succeeded', " + ago(9));
    jobs.insert("done2", "status, outcome, finished_at", "'done', 'cancelled', " + ago(8));
    jobs.insert("done3", "status", "'done'");
    jobs.insert("done4", "status, outcome", "'done', 'cancelled'");
    jobs.update(
        "INSERT INTO {jobs} (id, type, queue, payload, created_at)"
            + " VALUES ('other', 't', 'elsewhere', '', now())");
  }

  @Test
  void every_part_is_in_the_order_of_its_index_whatever_the_size_of_its_pages() {
    oneOfEach();

    for (int limit : new int[] {1, 2, 50}) {
      assertThat(ids(Part.READY, null, limit)).containsExactly("ready1", "ready2");
      assertThat(ids(Part.DUE, null, limit)).containsExactly("due1", "due2");
      assertThat(ids(Part.SCHEDULED, null, limit)).containsExactly("later1", "later2");
      assertThat(ids(Part.GATED, null, limit)).containsExactly("gated-a", "gated-b");
      assertThat(ids(Part.INFLIGHT, null, limit)).containsExactly("run1", "run2");
      assertThat(ids(Part.DLQ, null, limit)).containsExactly("dead1", "dead2");
      assertThat(ids(Part.FINISHED, null, limit))
          .containsExactly("done1", "done2", "done3", "done4");
      assertThat(ids(Part.SUCCEEDED, null, limit)).containsExactly("done1", "done3");
      assertThat(ids(Part.CANCELLED, null, limit)).containsExactly("done2", "done4");
    }
  }

  @Test
  void rows_are_shown_in_the_state_they_are_in() {
    oneOfEach();

    assertThat(page(Part.DUE, null, 9).jobs()).extracting(Job::state).containsOnly(JobState.READY);
    assertThat(page(Part.SCHEDULED, null, 9).jobs())
        .extracting(Job::state)
        .containsOnly(JobState.SCHEDULED);
    assertThat(page(Part.GATED, null, 9).jobs())
        .extracting(Job::state)
        .containsOnly(JobState.GATED);
    assertThat(page(Part.GATED, null, 9).jobs())
        .extracting(job -> job.spec().runAt())
        .containsExactly(jobs.in(Duration.ofSeconds(9)), null);
    assertThat(page(Part.FINISHED, null, 9).jobs())
        .extracting(Job::state)
        .containsExactly(JobState.DONE, JobState.CANCELLED, JobState.DONE, JobState.CANCELLED);
    assertThat(page(Part.READY, null, 1).jobs().get(0).spec().payload()).isEmpty();
  }

  @Test
  void a_scheduled_job_that_became_due_since_the_last_page_is_left_out() {
    for (int i = 1; i <= 4; i++) {
      jobs.insert("s" + i, "run_at", ahead(i * 10));
    }
    JobParts.Answer first = page(Part.SCHEDULED, null, 1);

    jobs.advance(Duration.ofSeconds(30));
    JobParts.Answer second =
        jobs.reader.list(new JobParts.Request("q", Part.SCHEDULED, null, 9, first.next()), CALL);

    assertThat(second.jobs()).extracting(Job::id).containsExactly("s4");
    assertThat(second.next()).isNull();
  }

  @Test
  void a_page_of_one_type_looks_at_ten_thousand_jobs_and_says_where_it_stopped() {
    jobs.update(
        """
        INSERT INTO {jobs} (id, type, queue, payload, created_at)
        SELECT 'j' || lpad(i::text, 5, '0'), CASE WHEN i % 10001 = 3 THEN 'rare' ELSE 't' END, 'q', '',
               {now} + i * interval '1 us'
          FROM generate_series(1, 20050) AS i
        """);

    JobParts.Answer first = page(Part.READY, "rare", 2);

    assertThat(first.jobs()).extracting(Job::id).containsExactly("j00003");
    assertThat(first.next()).isNotNull();
    assertThat(first.next().id()).isEqualTo("j10000");
    assertThat(ids(Part.READY, "rare", 1)).containsExactly("j00003", "j10004", "j20005");
    assertThat(page(Part.READY, "rare", 1).next().id()).isEqualTo("j10000");
    assertThat(page(Part.READY, "t", 1).next().id()).isEqualTo("j00001");
  }

  @Test
  void a_job_is_found_with_or_without_its_payload() {
    jobs.insert("a", "", "");

    assertThat(jobs.reader.find("a", true, CALL).orElseThrow().spec().payload())
        .isEqualTo(new byte[] {'x'});
    assertThat(jobs.reader.find("a", false, CALL).orElseThrow().spec().payload()).isEmpty();
    assertThat(jobs.reader.find("b", true, CALL)).isEmpty();
  }

  @Test
  void a_trace_shows_its_jobs_oldest_first() {
    jobs.insert("b", "trace_id", "'t1'");
    jobs.insert("c", "trace_id", "'t2'");
    jobs.advance(Duration.ofSeconds(1));
    jobs.insert("a", "trace_id", "'t1'");

    assertThat(jobs.reader.trace("t1", CALL)).extracting(Job::id).containsExactly("b", "a");
  }

  @Test
  void facts_tell_pause_limit_holders_and_workers() {
    jobs.insert("held", "limit_key", "'k'");
    jobs.insert("waits", "run_at, gate_at, limit_key", SENTINEL + ", {now}, 'k'");
    jobs.update("INSERT INTO {limits} (queue, limit_key, max_running) VALUES ('q', '*', 7)");
    jobs.admin.pause("q", null, CALL);
    jobs.update(
        "INSERT INTO {workers} VALUES ('w', 'h', ARRAY['q'], ARRAY['u'], 1, {now}, {now}),"
            + " ('old', 'h', ARRAY['q'], ARRAY['t'], 1, {now}, {now} - interval '60 s')");

    JobParts.Facts facts = jobs.reader.facts("waits", CALL).orElseThrow();

    assertThat(facts.pausedAt()).isEqualTo(jobs.now());
    assertThat(facts.keyLimit()).isEqualTo(7);
    assertThat(facts.keyHolders()).containsExactly("held");
    assertThat(facts.hasWorker()).isTrue();
    assertThat(facts.knowsType()).isFalse();
    assertThat(facts.ahead()).isZero();
    assertThat(facts.at()).isEqualTo(jobs.now());
    assertThat(jobs.reader.facts("nobody", CALL)).isEmpty();
  }

  @Test
  void a_limit_of_its_own_counts_before_that_of_every_other_key() {
    jobs.insert("a", "limit_key", "'k'");
    jobs.update(
        "INSERT INTO {limits} (queue, limit_key, max_running) VALUES ('q', '*', 7), ('q', 'k', 2)");

    assertThat(jobs.reader.facts("a", CALL).orElseThrow().keyLimit()).isEqualTo(2);
    jobs.update("UPDATE {limits} SET max_running = NULL WHERE limit_key = 'k'");
    assertThat(jobs.reader.facts("a", CALL).orElseThrow().keyLimit()).isNull();
  }

  @Test
  void those_ahead_are_eligible_and_come_first_in_any_way() {
    jobs.insert("ready-before", "rank_at", ago(31));
    jobs.insert("ready-behind", "rank_at", ago(29));
    jobs.insert("due-before", "run_at", ago(40));
    jobs.insert("due-behind", "run_at, priority", ago(40) + ", -1");
    jobs.insert("later", "run_at, priority", ahead(1) + ", 100");
    jobs.insert(
        "lost-before", "status, lease_token, lease_expires_at", "'inflight', 'x', " + ago(31));
    jobs.insert("held", "status, lease_token, lease_expires_at", "'inflight', 'x', " + ahead(1));
    jobs.insert("me", "rank_at", ago(30));
    // All were made just now; those with a due time count from when they were made.
    jobs.update("UPDATE {jobs} SET created_at = {now} - interval '1 h'");

    assertThat(jobs.reader.facts("me", CALL).orElseThrow().ahead()).isEqualTo(3);
    assertThat(jobs.reader.facts("later", CALL).orElseThrow().ahead()).isZero();
    assertThat(jobs.reader.facts("held", CALL).orElseThrow().ahead()).isZero();
    assertThat(jobs.reader.facts("lost-before", CALL).orElseThrow().ahead()).isEqualTo(1);
  }

  @Test
  void those_ahead_are_counted_to_a_thousand() {
    jobs.update(
        """
        INSERT INTO {jobs} (id, type, queue, payload, created_at)
        SELECT 'j' || i, 't', 'q', '', {now} - interval '1 s' FROM generate_series(1, 1500) AS i
        """);
    jobs.insert("me", "", "");

    assertThat(jobs.reader.facts("me", CALL).orElseThrow().ahead()).isEqualTo(1000);
  }
}
