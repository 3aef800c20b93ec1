package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.Partition;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueBackend;
import io.holdfast.queue.Redriven;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Reload after somebody worked on the items directly, and the way back from a dead queue. */
public abstract class RepairContract extends QueueSuite {
  @Test
  @Guarantee("Q85")
  void reload_repairs_counts_after_outside_inserts() {
    Queue queue = create(named("q").partitions(2));
    produce(queue, "known");
    assertThat(texts(lease(queue, 1))).containsExactly("known");
    for (int i = 0; i < 5; i++) {
      slipIn(queue, 0, "slipped in");
    }

    queue.admin().reload();

    assertThat(produce(queue, "a").partition()).isEqualTo(1);
    assertThat(produce(queue, "b").partition()).isEqualTo(1);
    assertThat(lease(queue, 10).partition()).isZero();
  }

  @Test
  @Guarantee("Q85")
  void reload_repairs_counts_after_outside_deletes() {
    Queue queue = create(named("q").partitions(2));
    List<String> ids = produce(queue, "a", "b", "c", "d").ids();
    produce(queue, "e", "f");
    QueueBackend backend = subject.process();
    Partition store = behindTheScenes(backend, queue, 0);
    store.delete(ids, StoreCall.plain());
    store.close();
    backend.catalog().close();

    queue.admin().reload();

    assertThat(produce(queue, "x").partition()).isZero();
    assertThat(lease(queue, 5).partition()).isEqualTo(1);
  }

  @Test
  @Guarantee("Q85")
  void reload_wakes_those_who_wait() {
    Queue queue = create(named("q"));
    CompletableFuture<LeasedItems> waiting = parked(queue, "client", 1);
    slipIn(queue, 0, "a");
    assertThat(waiting).isNotDone();

    queue.admin().reload();

    assertThat(texts(now(waiting))).containsExactly("a");
  }

  @Test
  @Guarantee("Q86")
  void redrive_returns_dead_items_to_their_source() {
    Queue dead = create(named("dead"));
    Queue one = create(named("one").deadQueue("dead"));
    Queue two = create(named("two").deadQueue("dead"));
    giveUp(one, "a", "b");
    giveUp(two, "c");
    time.advance(Duration.ofMinutes(1));

    Redriven done = dead.admin().redrive(10);

    assertThat(done).isEqualTo(new Redriven(3, 0));
    assertThat(stored(dead)).isEmpty();
    assertThat(texts(stored(one))).containsExactly("a", "b");
    assertThat(texts(stored(two))).containsExactly("c");
    StoredItem back = stored(two).get(0);
    assertThat(back.attempts()).isZero();
    assertThat(back.isLeased()).isFalse();
    assertThat(back.origin()).isEqualTo(StoredItem.Origin.NONE);
    assertThat(back.times().createdAt()).isEqualTo(instant());
    assertThat(back.times().expireDeadline()).isEqualTo(in(EXPIRE));
  }

  @Test
  @Guarantee("Q86")
  void redriven_items_go_to_the_tail_and_wake_who_waits_there() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("q").deadQueue("dead"));
    giveUp(queue, "old");
    CompletableFuture<LeasedItems> waiting = parked(queue, "client", 1);

    dead.admin().redrive(1);

    LeasedItems leased = now(waiting);
    assertThat(texts(leased)).containsExactly("old");
    assertThat(leased.items().get(0).attempts()).isEqualTo(1);
    giveUp(queue, "again");
    produce(queue, "young");
    dead.admin().redrive(1);
    assertThat(texts(lease(queue, 5))).containsExactly("young", "again");
  }

  @Test
  @Guarantee("Q86")
  void redrive_moves_no_more_than_asked_oldest_first() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("q").deadQueue("dead"));
    giveUp(queue, "a", "b", "c");

    assertThat(dead.admin().redrive(2).moved()).isEqualTo(2);

    assertThat(texts(stored(queue))).containsExactly("a", "b");
    assertThat(texts(stored(dead))).containsExactly("c");
  }

  @Test
  @Guarantee("Q86")
  void redrive_skips_and_counts_what_has_no_source_any_more() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("q").deadQueue("dead"));
    Queue gone = create(named("gone").deadQueue("dead"));
    produce(dead, "produced here");
    giveUp(gone, "orphan");
    queues.delete("gone", true);
    giveUp(queue, "a");

    Redriven done = dead.admin().redrive(10);

    assertThat(done).isEqualTo(new Redriven(1, 2));
    assertThat(texts(stored(queue))).containsExactly("a");
    assertThat(texts(stored(dead))).containsExactly("produced here", "orphan");
  }

  @Test
  @Guarantee("Q86")
  void redrive_leaves_alone_what_somebody_is_working_on() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("q").deadQueue("dead"));
    giveUp(queue, "a", "b");
    LeasedItems leased = lease(dead, 1);

    dead.admin().redrive(10);

    assertThat(texts(stored(queue))).containsExactly("b");
    dead.complete(leased);
    assertThat(stored(dead)).isEmpty();
  }

  @Test
  @Guarantee("Q86")
  void redrive_takes_from_all_partitions_of_the_dead_queue() {
    Queue dead = create(named("dead").partitions(3));
    Queue queue = create(named("q").deadQueue("dead"));
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      all.add("item " + i);
    }
    giveUp(queue, all.toArray(String[]::new));

    assertThat(dead.admin().redrive(1000)).isEqualTo(new Redriven(30, 0));

    assertThat(texts(stored(queue))).containsExactlyInAnyOrderElementsOf(all);
  }

  private void giveUp(Queue queue, String... payloads) {
    produce(queue, payloads);
    LeasedItems leased = lease(queue, payloads.length);
    assertThat(texts(leased)).containsExactly(payloads);
    queue.retry(0, leased.ids().stream().map(Retry::dead).toList());
  }
}
