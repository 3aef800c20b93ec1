package io.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.EmbeddedPostgres;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs each example as a reader would and looks at what it prints. */
@Timeout(60)
class ExamplesTest {
  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() {
    server = EmbeddedPostgres.temporary();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private interface Example {
    void main(String... args) throws Exception;
  }

  @Test
  void a_section_runs_under_its_fence() throws Exception {
    String first = run(WithLockMain::main);
    String second = run(WithLockMain::main);

    assertThat(first).contains("writing the report");
    assertThat(fence(second)).isEqualTo(fence(first) + 1);
  }

  @Test
  void a_renewed_lock_outlives_its_ttl() throws Exception {
    assertThat(run(RenewingLockMain::main))
        .contains("file 0 imported", "file 7 imported")
        .doesNotContain("lost");
  }

  @Test
  void a_writer_that_slept_past_its_lease_is_refused() throws Exception {
    String output = run(FenceGuardMain::main);

    assertThat(output.lines())
        .endsWith("the second writer committed", "the first writer was refused: StaleFence");
  }

  @Test
  void a_failed_item_comes_again_behind_the_others() throws Exception {
    assertThat(run(QueueMain::main).lines())
        .containsExactly("failed to ann", "sent to bob", "sent to eve", "sent to ann");
  }

  @Test
  void a_scheduled_item_comes_at_its_moment() throws Exception {
    assertThat(run(ScheduledMain::main).lines())
        .containsExactly("scheduled: 1", "due: now", "due: in a moment");
  }

  @Test
  void an_item_that_failed_too_often_is_dead_and_can_be_sent_back() throws Exception {
    assertThat(run(DeadQueueMain::main).lines())
        .containsExactly(
            "attempt 1 failed",
            "attempt 2 failed",
            "dead: invoice 7, exhausted, from payments",
            "redriven: 1",
            "leased again, attempt 1");
  }

  @Test
  void an_item_is_produced_with_the_callers_commit_or_not_at_all() throws Exception {
    assertThat(run(TransactionalOutboxMain::main).lines())
        .containsExactly("order 7 committed", "order 8 rolled back", "announced order 7");
  }

  private static long fence(String output) {
    return Long.parseLong(output.replaceAll("(?s).*under fence (\\d{15}).*", "$1"));
  }

  @Test
  void each_partition_is_handled_in_order() throws Exception {
    List<String> lines = run(OrderedStreamMain::main).lines().toList();

    assertThat(lines).contains("billed bob: nails").hasSize(5);
    assertThat(lines.stream().filter(line -> line.contains("ann")))
        .containsExactly(
            "failed ann: tea", "billed ann: tea", "billed ann: milk", "billed ann: sugar");
  }

  @Test
  void every_group_gets_every_message() throws Exception {
    assertThat(run(FanOutMain::main).lines())
        .containsExactly(
            "archive got first",
            "archive got second",
            "live got nothing",
            "archive got third",
            "live got third");
  }

  @Test
  void a_group_reads_again() throws Exception {
    assertThat(run(ReplayMain::main).lines())
        .containsExactly("1 kWh", "2 kWh", "3 kWh", "back to the second", "2 kWh", "3 kWh");
  }

  @Test
  void a_message_takes_effect_once() throws Exception {
    assertThat(run(TransactionalConsumeMain::main).lines())
        .containsExactly("rolled back", "committed", "booked 30", "receipt for 30");
  }

  @Test
  void a_job_is_enqueued_with_the_callers_commit_or_not_at_all() throws Exception {
    assertThat(run(EnqueueInTransactionMain::main).lines())
        .containsExactlyInAnyOrder("bob was turned away", "ann signed up", "welcome, ann");
  }

  @Test
  void a_worker_retries_and_gives_up() throws Exception {
    assertThat(run(WorkerMain::main).lines())
        .contains("attempt 1 of cat.png", "attempt 2 of cat.png", "attempt 1 of broken.png")
        .endsWith("given up: handler error: not an image", "dead letters: 1");
  }

  @Test
  void a_schedule_makes_jobs() throws Exception {
    assertThat(run(RecurringMain::main).lines())
        .contains("an extra report", "a slot's report")
        .contains("daily, 0 7 * * MON-FRI", "often, @every 1s");
  }

  @Test
  void a_job_goes_on_where_it_stood() throws Exception {
    assertThat(run(ProgressMain::main).lines())
        .containsExactly(
            "page 1", "page 2", "page 3 failed", "page 3", "page 4", "100 %, page 4", "4 pages");
  }

  @Test
  void killed_workers_leave_each_effect_exactly_once() throws Exception {
    assertThat(run(args -> EffectivelyOnceMain.main(args[0], "6")).lines())
        .containsExactly("killed workers at random", "every effect exactly once: true");
  }

  private static String run(Example example) throws Exception {
    PrintStream usual = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      example.main(server.jdbcUrl());
    } finally {
      System.setOut(usual);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }
}
