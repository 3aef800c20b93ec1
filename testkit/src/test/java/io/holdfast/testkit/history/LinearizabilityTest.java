package io.holdfast.testkit.history;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LinearizabilityTest {
  /** A register: a write of a value, or a read of it. */
  private record Access(boolean isWrite, int value) {}

  private static final Model<Integer, Access> REGISTER =
      new Model<>() {
        @Override
        public Integer start() {
          return 0;
        }

        @Override
        public Optional<Integer> after(Integer state, Access access) {
          return access.isWrite() || access.value() == state
              ? Optional.of(access.value())
              : Optional.empty();
        }
      };

  private final List<Operation<Access>> history = new ArrayList<>();

  @Test
  void one_call_after_the_other_is_explained_by_itself() {
    write(1, 1, 2);
    read(1, 3, 4);
    write(2, 5, 6);
    read(2, 7, 8);

    assertExplained();
  }

  @Test
  void a_read_after_a_write_sees_it() {
    write(1, 1, 2);
    read(0, 3, 4);

    assertNotExplained();
  }

  @Test
  void a_read_during_a_write_sees_either_value() {
    write(1, 1, 10);
    read(0, 2, 3);
    read(1, 4, 5);

    assertExplained();
  }

  @Test
  void a_value_that_was_seen_does_not_go_away_again() {
    write(1, 1, 10);
    read(1, 2, 3);
    read(0, 4, 5);

    assertNotExplained();
  }

  @Test
  void overlapping_writes_have_one_order_for_all_readers() {
    write(1, 1, 10);
    write(2, 1, 10);
    read(1, 11, 12);
    read(2, 13, 14);

    assertNotExplained();
  }

  @Test
  void a_write_without_answer_may_show_late_or_never() {
    write(1, 1, Operation.NEVER);
    read(0, 2, 3);
    read(0, 100, 101);
    assertExplained();

    read(1, 102, 103);
    assertExplained();

    read(0, 104, 105);
    assertNotExplained();
  }

  @Test
  void a_long_history_costs_no_more_than_its_busiest_stretch() {
    for (int i = 0; i < 20_000; i++) {
      write(i, 10L * i, 10L * i + 5);
      read(i, 10L * i + 3, 10L * i + 7);
    }

    assertThatCode(() -> new Linearizability<>(REGISTER, 100).check(history))
        .doesNotThrowAnyException();
  }

  @Test
  void too_many_possibilities_are_admitted_and_not_passed_over() {
    for (int i = 0; i < 12; i++) {
      write(i, 1, 100);
    }

    assertThatThrownBy(() -> new Linearizability<>(REGISTER, 1000).check(history))
        .isInstanceOf(Linearizability.GaveUp.class)
        .hasMessageContaining("1000");
  }

  private void write(int value, long from, long to) {
    history.add(new Operation<>(new Access(true, value), from, to));
  }

  private void read(int value, long from, long to) {
    history.add(new Operation<>(new Access(false, value), from, to));
  }

  private void assertExplained() {
    assertThatCode(() -> new Linearizability<>(REGISTER, 10_000).check(history))
        .doesNotThrowAnyException();
  }

  private void assertNotExplained() {
    assertThatThrownBy(() -> new Linearizability<>(REGISTER, 10_000).check(history))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no order");
  }
}
