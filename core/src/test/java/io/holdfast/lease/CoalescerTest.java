package io.holdfast.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Calls are fused only when others are under way, and each has an answer of its own. */
class CoalescerTest {
  private static final String KIND = "coalescer-test";

  private final List<List<String>> statements = new CopyOnWriteArrayList<>();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final Coalescer<String, String> coalescer = coalescer(4, 1, 100);

  private Coalescer<String, String> coalescer(int rows, int parallel, int room) {
    return new Coalescer<>(
        this::run,
        new Coalescer.Shape<>(
            KIND, call -> 1, call -> List.of(call), e -> e instanceof IllegalArgumentException),
        new Coalescer.Width(rows, parallel),
        new Coalescer.Room(room, () -> new IllegalStateException("full")),
        tasks::add);
  }

  private List<String> run(List<String> calls) {
    statements.add(calls);
    if (calls.contains("bad")) {
      throw new IllegalArgumentException("bad data");
    }
    if (calls.contains("down")) {
      throw new IllegalStateException("away");
    }
    return calls.stream().map(call -> call + "!").toList();
  }

  private void runAll() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  @Test
  void a_lone_call_runs_at_once_and_alone() {
    Coalescer.Pending<String, String> call = coalescer.submit("a");
    runAll();

    assertThat(call).isCompletedWithValue("a!");
    assertThat(statements).containsExactly(List.of("a"));
  }

  @Test
  void it_is_counted_how_many_calls_share_a_statement() {
    FusionCounts.Count before = count();
    coalescer.submit("x");
    coalescer.submit("y");
    coalescer.submit("z");
    runAll();

    FusionCounts.Count after = count();
    assertThat(after.statements() - before.statements()).isEqualTo(2);
    assertThat(after.calls() - before.calls()).isEqualTo(3);
    assertThat(after.rows() - before.rows()).isEqualTo(3);
  }

  private static FusionCounts.Count count() {
    return FusionCounts.all().stream()
        .filter(count -> count.kind().equals(KIND))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void a_lone_caller_may_run_its_call_itself() {
    Coalescer.Pending<String, String> call = coalescer.callOrSubmit("a");

    assertThat(call).isCompletedWithValue("a!");
    assertThat(tasks).isEmpty();
  }

  @Test
  void calls_that_come_meanwhile_share_the_next_statement_in_their_order() {
    List<Coalescer.Pending<String, String>> calls = new ArrayList<>();
    for (String name : List.of("a", "b", "c", "d")) {
      calls.add(coalescer.submit(name));
    }
    runAll();

    assertThat(statements).containsExactly(List.of("a"), List.of("b", "c", "d"));
    assertThat(calls.get(3)).isCompletedWithValue("d!");
  }

  @Test
  void a_statement_has_at_most_so_many_rows() {
    for (int i = 0; i < 10; i++) {
      coalescer.submit("call" + i);
    }
    runAll();

    assertThat(statements).extracting(List::size).containsExactly(1, 4, 4, 1);
  }

  @Test
  void at_most_so_many_statements_are_under_way() {
    Coalescer<String, String> two = coalescer(1, 2, 100);
    two.submit("a");
    two.submit("b");
    two.submit("c");

    assertThat(tasks).hasSize(2);
    assertThat(two.inFlight()).isEqualTo(2);
    assertThat(two.waiting()).isEqualTo(1);
    runAll();
    assertThat(statements).hasSize(3);
  }

  @Test
  void two_calls_that_name_the_same_never_share_a_statement() {
    coalescer.submit("first");
    coalescer.submit("a");
    coalescer.submit("a");
    coalescer.submit("b");
    runAll();

    assertThat(statements).containsExactly(List.of("first"), List.of("a"), List.of("a", "b"));
  }

  @Test
  void bad_data_of_one_call_fails_only_that_call() {
    coalescer.submit("first");
    Coalescer.Pending<String, String> good = coalescer.submit("good");
    Coalescer.Pending<String, String> bad = coalescer.submit("bad");
    Coalescer.Pending<String, String> fine = coalescer.submit("fine");
    runAll();

    assertThat(good).isCompletedWithValue("good!");
    assertThat(fine).isCompletedWithValue("fine!");
    assertThatThrownBy(bad::join).hasRootCauseMessage("bad data");
  }

  @Test
  void a_failure_of_the_store_fails_all_and_is_not_repeated() {
    coalescer.submit("first");
    Coalescer.Pending<String, String> one = coalescer.submit("one");
    Coalescer.Pending<String, String> down = coalescer.submit("down");
    runAll();

    assertThat(one).isCompletedExceptionally();
    assertThat(down).isCompletedExceptionally();
    assertThat(statements).hasSize(2);
  }

  @Test
  void a_withdrawn_call_is_not_sent_and_a_sent_one_cannot_be_withdrawn() {
    Coalescer.Pending<String, String> sent = coalescer.submit("sent");
    Coalescer.Pending<String, String> waiting = coalescer.submit("waiting");

    assertThat(sent.withdraw()).isFalse();
    assertThat(waiting.withdraw()).isTrue();
    runAll();

    assertThat(statements).containsExactly(List.of("sent"));
    assertThat(waiting).isNotDone();
  }

  @Test
  void one_call_more_than_there_is_room_for_is_refused_and_the_others_go_on() {
    Coalescer<String, String> small = coalescer(4, 1, 2);
    small.submit("running");
    Coalescer.Pending<String, String> waiting = small.submit("a");
    small.submit("b");

    assertThatThrownBy(() -> small.submit("c")).hasMessage("full");
    runAll();

    assertThat(waiting).isCompletedWithValue("a!");
    assertThat(small.submit("later")).isNotNull();
  }

  @Test
  void refusing_answers_each_waiting_call_once_and_lets_the_sent_ones_finish() {
    Coalescer.Pending<String, String> sent = coalescer.submit("sent");
    Coalescer.Pending<String, String> waiting = coalescer.submit("waiting");

    coalescer.refuseWaiting(() -> new IllegalStateException("closing"));
    runAll();

    assertThatThrownBy(waiting::join).hasRootCauseMessage("closing");
    assertThat(sent).isCompletedWithValue("sent!");
    assertThat(statements).containsExactly(List.of("sent"));
  }
}
