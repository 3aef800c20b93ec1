package io.holdfast.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CancellationSourceTest {
  private final CancellationSource source = new CancellationSource();
  private final List<String> ran = new ArrayList<>();

  @Test
  void it_is_cancelled_for_good() {
    assertThat(source.isCancelled()).isFalse();

    source.cancel();
    source.cancel();

    assertThat(source.isCancelled()).isTrue();
  }

  @Test
  void each_action_runs_once_on_the_cancelling_thread() {
    List<Thread> threads = new ArrayList<>();
    source.onCancel(() -> threads.add(Thread.currentThread()));
    source.onCancel(() -> threads.add(Thread.currentThread()));

    source.cancel();
    source.cancel();

    assertThat(threads).containsExactly(Thread.currentThread(), Thread.currentThread());
  }

  @Test
  void an_action_registered_after_cancellation_runs_at_once() {
    source.cancel();

    source.onCancel(() -> ran.add("late")).close();

    assertThat(ran).containsExactly("late");
  }

  @Test
  void it_is_cancelled_by_the_time_an_action_runs() {
    source.onCancel(() -> ran.add("cancelled: " + source.isCancelled()));

    source.cancel();

    assertThat(ran).containsExactly("cancelled: true");
  }

  @Test
  void a_withdrawn_action_does_not_run() {
    Runnable same = () -> ran.add("ran");
    Cancellation.Registration withdrawn = source.onCancel(same);
    source.onCancel(same);

    withdrawn.close();
    withdrawn.close();
    source.cancel();

    assertThat(ran).containsExactly("ran");
  }

  @Test
  void an_action_withdrawn_while_others_run_does_not_start_any_more() {
    List<Cancellation.Registration> second = new ArrayList<>();
    source.onCancel(
        () -> {
          ran.add("first");
          second.forEach(Cancellation.Registration::close);
        });
    second.add(source.onCancel(() -> ran.add("second")));

    source.cancel();

    assertThat(ran).containsExactly("first");
  }

  @Test
  void the_token_that_never_cancels_runs_nothing() {
    Cancellation.Registration nothing = Cancellation.never().onCancel(() -> ran.add("ran"));

    nothing.close();

    assertThat(Cancellation.never().isCancelled()).isFalse();
    assertThat(ran).isEmpty();
  }
}
