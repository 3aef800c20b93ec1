package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.PAUSED;
import static io.holdfast.stream.StreamError.QUEUE_NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Pushes and pops that operators hold up, of one queue or of all. */
public abstract class StreamPauseContract extends StreamOperatorSuite {
  private List<Popped> both(Streams there) {
    return List.of(pop(5), there.pop(request(5)));
  }

  @Test
  @Guarantee("S100")
  void a_paused_pop_delivers_nothing() {
    Streams there = process();
    push("p", "a");
    streams.push(List.of(NewMessage.to("other", "x")));

    streams.admin().pausePop(QUEUE);

    assertThat(both(there)).allMatch(Popped::isEmpty);
    assertThat(popOf("p", 1).isEmpty()).isTrue();
    assertThat(streams.pop(PopRequest.of("other")).isEmpty()).isFalse();
    push("p", "b");
    there.admin().resumePop(QUEUE);
    assertThat(texts(pop(5))).containsExactly("a", "b");
  }

  @Test
  @Guarantee("S100")
  void all_pops_can_be_paused() {
    Streams there = process();
    push("p", "a");

    streams.admin().pausePop(null);

    assertThat(there.admin().pausedAll()).isEqualTo(new StreamInfo.Paused(false, true));
    assertThat(both(there)).allMatch(Popped::isEmpty);
    streams.admin().resumePop(QUEUE);
    assertThat(both(there)).allMatch(Popped::isEmpty);
    there.admin().resumePop(null);
    assertThat(texts(pop(5))).containsExactly("a");
  }

  @Test
  @Guarantee("S100")
  void a_pop_that_waits_is_not_served_while_pops_are_paused() {
    push("p", "before");
    drained(GROUP);
    Streams there = process();
    CompletableFuture<Popped> waiting = parked(request(1));
    streams.admin().pausePop(QUEUE);

    push("p", "a");
    settle();
    assertThat(waiting).isNotDone();
    there.admin().resumePop(QUEUE);

    stepping(waiting::isDone);
    assertThat(texts(now(waiting))).containsExactly("a");
  }

  @Test
  @Guarantee("S100")
  void a_pop_that_waits_through_a_pause_of_all_is_served_after_it() {
    push("p", "a");
    streams.admin().pausePop(null);
    CompletableFuture<Popped> waiting = parked(request(1));
    settle();
    assertThat(waiting).isNotDone();

    streams.admin().resumePop(null);

    assertThat(texts(now(waiting))).containsExactly("a");
  }

  @Test
  @Guarantee("S100")
  void a_paused_queue_is_left_out_of_pops_by_label() {
    streams.push(List.of(NewMessage.to("shop.orders", "a")));
    time.advance(Duration.ofSeconds(1));
    streams.push(List.of(NewMessage.to("shop.bills", "b")));
    streams.admin().pausePop("shop.orders");
    PopRequest any = PopRequest.of(PopSource.labels("shop", null)).group(GROUP);

    assertThat(texts(streams.pop(any))).containsExactly("b");
    assertThat(streams.pop(any).isEmpty()).isTrue();
    streams.admin().resumePop("shop.orders");
    assertThat(texts(streams.pop(any))).containsExactly("a");
  }

  @Test
  @Guarantee("S100")
  void a_paused_pop_delivers_nothing_but_makes_its_group_known() {
    push("p", "a");
    streams.admin().pausePop(QUEUE);

    assertThat(pop(1).isEmpty()).isTrue();

    assertThat(streams.admin().groups(QUEUE)).hasSize(1);
  }

  @Test
  @Guarantee("S101")
  void leases_survive_a_pause() {
    streams.configure(config());
    push("p", "a", "b");
    Popped held = pop(2);

    streams.admin().pausePop(QUEUE);
    streams.admin().pausePop(null);
    time.advance(Duration.ofSeconds(9));

    assertThat(streams.extend(lease(held), LEASE).expiresAt()).isEqualTo(instant().plus(LEASE));
    time.advance(Duration.ofSeconds(9));
    assertThat(ack(held, Verdict.COMPLETED)).allMatch(acked -> acked.isSuccess());
    streams.admin().resumePop(null);
    streams.admin().resumePop(QUEUE);
    assertThat(pop(5).isEmpty()).isTrue();
  }

  @Test
  @Guarantee("S101")
  void a_lease_can_be_given_back_during_a_pause() {
    push("p", "a");
    Popped held = pop(1);
    streams.admin().pausePop(QUEUE);

    assertThat(streams.release(lease(held), null)).isEqualTo(1);

    assertThat(pop(1).isEmpty()).isTrue();
    streams.admin().resumePop(QUEUE);
    assertThat(texts(pop(1))).containsExactly("a");
  }

  @Test
  void a_paused_push_is_refused_and_stores_nothing() {
    Streams there = process();
    push("p", "a");
    NewMessage other = NewMessage.to("other", "x");
    NewMessage refused = NewMessage.to(QUEUE, "b").in("new");

    there.admin().pausePush(QUEUE);

    failing(PAUSED, () -> push("p", "b"));
    failing(PAUSED, () -> streams.push(List.of(other, refused)));
    failing(PAUSED, () -> there.push(List.of(refused)));
    assertThat(stored()).containsExactly("a");
    assertThat(streams.admin().partitions(QUEUE, null, 10)).containsExactly("p");
    assertThat(streams.admin().find("other")).isEmpty();
    assertThat(streams.push(List.of(other))).hasSize(1);
    assertThat(texts(pop(5))).containsExactly("a");
    streams.admin().resumePush(QUEUE);
    assertThat(push("p", "b")).hasSize(1);
  }

  @Test
  void all_pushes_can_be_paused() {
    push("p", "a");
    streams.admin().pausePush(null);

    failing(PAUSED, () -> push("p", "b"));
    failing(PAUSED, () -> streams.push(List.of(NewMessage.to("unknown", "x"))));
    assertThat(streams.admin().find("unknown")).isEmpty();
    assertThat(streams.admin().pausedAll()).isEqualTo(new StreamInfo.Paused(true, false));
    streams.admin().resumePush(null);

    push("p", "b");
    assertThat(stored()).containsExactly("a", "b");
  }

  @Test
  void a_queue_shows_what_is_paused() {
    push("p", "a");

    streams.admin().pausePush(QUEUE);
    assertThat(streams.admin().find(QUEUE).orElseThrow().paused())
        .isEqualTo(new StreamInfo.Paused(true, false));
    streams.admin().pausePop(QUEUE);
    assertThat(streams.admin().find(QUEUE).orElseThrow().paused())
        .isEqualTo(new StreamInfo.Paused(true, true));
    streams.admin().resumePush(QUEUE);
    streams.admin().resumePop(QUEUE);
    assertThat(streams.admin().find(QUEUE).orElseThrow().paused())
        .isEqualTo(new StreamInfo.Paused(false, false));
    assertThat(streams.admin().pausedAll()).isEqualTo(new StreamInfo.Paused(false, false));
  }

  @Test
  void a_queue_that_is_not_there_cannot_be_paused() {
    failing(QUEUE_NOT_FOUND, () -> streams.admin().pausePush("nowhere"));
    failing(QUEUE_NOT_FOUND, () -> streams.admin().pausePop("nowhere"));
    failing(QUEUE_NOT_FOUND, () -> streams.admin().resumePush("nowhere"));
    failing(QUEUE_NOT_FOUND, () -> streams.admin().resumePop("nowhere"));
  }
}
