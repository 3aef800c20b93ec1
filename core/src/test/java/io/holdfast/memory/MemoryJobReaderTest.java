package io.holdfast.memory;

import static io.holdfast.memory.MemoryJobScene.CALL;
import static io.holdfast.memory.MemoryJobScene.LEASE;
import static io.holdfast.memory.MemoryJobScene.QUEUE;
import static io.holdfast.memory.MemoryJobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobParts.Answer;
import io.holdfast.job.JobParts.Facts;
import io.holdfast.job.JobParts.Part;
import io.holdfast.job.JobParts.Position;
import io.holdfast.job.JobParts.Request;
import io.holdfast.job.JobStore.Heartbeat;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.WorkerInfo;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryJobReaderTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final MemoryJobScene scene = new MemoryJobScene();

  private Answer list(Part part, String type, int limit, Position after) {
    return scene.parts.list(new Request(QUEUE, part, type, limit, after), CALL);
  }

  private static List<String> ids(Answer answer) {
    return answer.jobs().stream().map(Job::id).toList();
  }

  private Facts facts(String id) {
    return scene.parts.facts(id, CALL).orElseThrow();
  }

  private void see(String worker, List<String> queues, List<String> types) {
    WorkerInfo info = new WorkerInfo(worker, "host", queues, types, 4, null, null);
    scene.jobs.store().beat(new Heartbeat(info, List.of(), LEASE), CALL);
  }

  @Test
  void a_page_ends_where_the_next_begins_and_the_last_says_so() {
    scene.enqueue(job("a").payload("x"), job("b"), job("c"));

    Answer first = list(Part.READY, null, 2, null);
    Answer second = list(Part.READY, null, 2, first.next());

    assertThat(ids(first)).containsExactly("a", "b");
    assertThat(first.jobs().get(0).spec().payload()).isEmpty();
    assertThat(ids(second)).containsExactly("c");
    assertThat(second.next()).isNull();
    assertThat(list(Part.READY, null, 3, null).next()).isNull();
  }

  @Test
  void due_and_scheduled_jobs_are_parted_by_the_clock() {
    scene.enqueue(job("now").runAt(scene.now()), job("ahead").runIn(SECOND));
    scene.enqueue(job("farther").runIn(SECOND.multipliedBy(2)));

    Answer scheduled = list(Part.SCHEDULED, null, 1, null);
    scene.pass(SECOND);

    assertThat(ids(scheduled)).containsExactly("ahead");
    assertThat(ids(list(Part.DUE, null, 9, null))).containsExactly("now", "ahead");
    assertThat(ids(list(Part.SCHEDULED, null, 9, scheduled.next()))).containsExactly("farther");
  }

  @Test
  void gated_jobs_come_by_key_then_by_when_they_came() {
    scene.enqueue(job("b1").limitedBy("b"), job("a2").limitedBy("a"), job("a1").limitedBy("a"));

    Answer first = list(Part.GATED, null, 1, null);

    assertThat(ids(first)).containsExactly("a2");
    assertThat(ids(list(Part.GATED, null, 9, first.next()))).containsExactly("a1", "b1");
  }

  @Test
  void a_page_of_a_type_may_be_short_and_go_on() {
    NewJob[] others = new NewJob[10_000];
    for (int i = 0; i < others.length; i++) {
      others[i] = NewJob.of("other").id("o" + i);
    }
    scene.enqueue(others);
    scene.pass(SECOND);
    scene.enqueue(job("a"));

    Answer first = list(Part.READY, "send", 5, null);
    Answer second = list(Part.READY, "send", 5, first.next());

    assertThat(first.jobs()).isEmpty();
    assertThat(first.next()).isNotNull();
    assertThat(ids(second)).containsExactly("a");
    assertThat(second.next()).isNull();
  }

  @Test
  void finished_jobs_are_succeeded_or_cancelled() {
    scene.enqueue(job("done"));
    scene.ack(scene.lease());
    scene.enqueue(job("cancelled"));
    scene.jobs.store().cancel(List.of("cancelled"), CALL);

    assertThat(ids(list(Part.FINISHED, null, 9, null))).containsExactly("cancelled", "done");
    assertThat(ids(list(Part.SUCCEEDED, null, 9, null))).containsExactly("done");
    assertThat(ids(list(Part.CANCELLED, null, 9, null))).containsExactly("cancelled");
  }

  @Test
  void a_trace_shows_its_jobs_of_all_queues_oldest_first() {
    scene.enqueue(job("b").traced("t"), job("a").traced("t").queue("other"), job("c"));

    assertThat(scene.jobs.reader().trace("t", CALL)).extracting(Job::id).containsExactly("b", "a");
  }

  @Test
  void those_ahead_are_eligible_before_it_in_any_way() {
    scene.enqueue(job("expired"), job("expired later"));
    scene.reserve(ReserveRequest.of(QUEUE, 1).leaseFor(SECOND));
    scene.reserve(ReserveRequest.of(QUEUE, 1).leaseFor(SECOND.multipliedBy(3)));
    scene.enqueue(job("due").runIn(SECOND), job("ready"), job("ahead").runIn(LEASE));
    scene.pass(SECOND.multipliedBy(2));
    scene.enqueue(job("last"));
    scene.pass(SECOND.multipliedBy(2));

    assertThat(facts("last").ahead()).isEqualTo(3);
    assertThat(facts("ready").ahead()).isZero();
    assertThat(facts("ahead").ahead()).isZero();
  }

  @Test
  void the_facts_name_pause_limit_holders_and_workers() {
    scene.limit("*", 1);
    scene.enqueue(job("a").limitedBy("k"));
    scene.enqueue(job("b").limitedBy("k"));
    scene.admit("k");
    scene.jobs.admin().pause(QUEUE, null, CALL);
    see("w1", List.of(QUEUE), List.of("other"));

    Facts facts = facts("b");

    assertThat(facts.pausedAt()).isEqualTo(scene.now());
    assertThat(facts.keyLimit()).isEqualTo(1);
    assertThat(facts.keyHolders()).containsExactly("a");
    assertThat(facts.hasWorker()).isTrue();
    assertThat(facts.knowsType()).isFalse();
  }

  @Test
  void a_worker_counts_for_a_minute_and_is_forgotten_after_ten() {
    scene.enqueue(job("a"));
    see("w1", List.of(QUEUE), List.of("send"));
    scene.pass(Duration.ofMillis(59_999));
    boolean isAlive = facts("a").knowsType();
    see("w2", List.of("other"), List.of("send"));
    scene.pass(Duration.ofMillis(1));

    assertThat(isAlive).isTrue();
    assertThat(facts("a").hasWorker()).isFalse();
    scene.pass(Duration.ofMinutes(9));
    assertThat(scene.jobs.upkeep().forgetWorkers(CALL)).isZero();
    scene.pass(Duration.ofMillis(1));
    assertThat(scene.jobs.upkeep().forgetWorkers(CALL)).isEqualTo(1);
    assertThat(scene.jobs.admin().workers(CALL)).extracting(WorkerInfo::id).containsExactly("w2");
  }
}
