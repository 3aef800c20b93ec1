package io.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.HandClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OncePerTest {
  private final HandClock clock = new HandClock();
  private final OncePer oncePer = new OncePer(Duration.ofSeconds(1), clock);

  @Test
  void a_name_is_allowed_once_per_period() {
    assertThat(oncePer.allows("a")).isTrue();

    clock.to(999);
    assertThat(oncePer.allows("a")).isFalse();
    clock.to(1000);
    assertThat(oncePer.allows("a")).isTrue();
    assertThat(oncePer.allows("a")).isFalse();
  }

  @Test
  void a_refusal_does_not_start_the_period_again() {
    oncePer.allows("a");
    clock.to(600);
    oncePer.allows("a");

    clock.to(1000);

    assertThat(oncePer.allows("a")).isTrue();
  }

  @Test
  void names_are_independent() {
    assertThat(oncePer.allows("a")).isTrue();
    assertThat(oncePer.allows("b")).isTrue();
    assertThat(oncePer.allows("")).isTrue();
    assertThat(oncePer.allows("b")).isFalse();
  }

  @Test
  void the_last_thousand_names_are_remembered_and_no_more() {
    for (int i = 0; i < 1000; i++) {
      oncePer.allows("name-" + i);
    }
    assertThat(oncePer.allows("name-0")).isFalse();

    oncePer.allows("one more");

    assertThat(oncePer.allows("name-1")).isFalse();
    assertThat(oncePer.allows("name-999")).isFalse();
    assertThat(oncePer.allows("name-0")).isTrue();
  }
}
