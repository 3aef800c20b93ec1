package io.holdfast.testkit.queue;

import static io.holdfast.queue.QueueException.Kind.CONFLICT;
import static io.holdfast.queue.QueueException.Kind.INVALID;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.Clear;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.Pause;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueSettings;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.Queues;
import io.holdfast.queue.Retry;
import io.holdfast.queue.TableHash;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Creating, changing and deleting queues, seen from every process. */
public abstract class QueueAdminContract extends QueueSuite {
  @Test
  @Guarantee("Q61")
  void a_queue_is_created_read_listed_changed_and_deleted() {
    create(named("dead"));
    NewQueue wanted =
        named("orders")
            .inNamespace("shop")
            .deadQueue("dead")
            .maxAttempts(3)
            .reference("mine")
            .partitions(2);

    QueueInfo made = queues.create(wanted);
    QueueInfo read = queues.get("orders");

    assertThat(read).isEqualTo(made);
    assertThat(read.name()).isEqualTo("orders");
    assertThat(read.namespace()).isEqualTo("shop");
    assertThat(read.settings()).isEqualTo(new QueueSettings(LEASE, EXPIRE, "dead", 3, "mine", 2));
    assertThat(read.partitions()).extracting(PartitionInfo::number).containsExactly(0, 1);
    assertThat(read.paused()).isEqualTo(Pause.NONE);
    assertThat(read.createdAt()).isEqualTo(instant()).isEqualTo(read.updatedAt());
    assertThat(names(QueuePage.FIRST)).containsExactly("dead", "orders");

    queues.delete("orders", false);

    assertThat(failing(INVALID, () -> queues.get("orders")))
        .hasMessageStartingWith("queue does not exist; ")
        .hasMessageContaining("orders");
    assertThat(names(QueuePage.FIRST)).containsExactly("dead");
    failing(INVALID, () -> queues.delete("orders", true));
    failing(INVALID, () -> queues.update("orders", QueueUpdate.NOTHING));
  }

  @Test
  @Guarantee("Q61")
  void a_change_moves_updated_at_and_the_version_and_keeps_created_at() {
    QueueInfo made = queues.create(named("orders"));
    time.advance(Duration.ofSeconds(5));

    QueueInfo changed = queues.update("orders", QueueUpdate.NOTHING.maxAttempts(7));

    assertThat(changed.createdAt()).isEqualTo(made.createdAt());
    assertThat(changed.updatedAt()).isEqualTo(made.createdAt().plusSeconds(5));
    assertThat(changed.version()).isGreaterThan(made.version());
  }

  @Test
  @Guarantee("Q61")
  void queues_are_listed_by_namespace_and_an_empty_one_is_the_default() {
    create(named("a"));
    create(named("b").inNamespace("shop"));
    create(named("c").inNamespace("_system"));

    assertThat(names(QueuePage.FIRST)).containsExactly("a", "b", "c");
    assertThat(names(new QueuePage("", 0, "shop"))).containsExactly("b");
    assertThat(names(new QueuePage("", 0, ""))).containsExactly("a", "c");
    assertThat(names(new QueuePage("", 1, "_system"))).containsExactly("a");
    assertThat(names(new QueuePage("b", 1, "_system"))).containsExactly("c");
    assertThat(names(new QueuePage("", 0, "nowhere"))).isEmpty();
  }

  @Test
  @Guarantee("Q61")
  void a_name_exists_once_whatever_its_namespace() {
    create(named("orders").inNamespace("shop"));

    assertThat(failing(INVALID, () -> queues.create(named("orders"))))
        .hasMessageContaining("already exists");
  }

  @Test
  @Guarantee("Q62")
  void an_update_of_one_field_keeps_the_others() {
    create(named("dead"));
    create(named("other"));
    Duration brief = Duration.ofSeconds(1);
    Duration longer = Duration.ofHours(2);
    queues.create(named("q").deadQueue("dead").maxAttempts(3).reference("mine").partitions(2));

    updated(QueueUpdate.NOTHING, new QueueSettings(LEASE, EXPIRE, "dead", 3, "mine", 2));
    updated(
        QueueUpdate.NOTHING.leaseFor(brief),
        new QueueSettings(brief, EXPIRE, "dead", 3, "mine", 2));
    updated(
        QueueUpdate.NOTHING.expireAfter(longer),
        new QueueSettings(brief, longer, "dead", 3, "mine", 2));
    updated(
        QueueUpdate.NOTHING.deadQueue("other"),
        new QueueSettings(brief, longer, "other", 3, "mine", 2));
    updated(
        QueueUpdate.NOTHING.maxAttempts(0),
        new QueueSettings(brief, longer, "other", 0, "mine", 2));
    updated(QueueUpdate.NOTHING.reference(""), new QueueSettings(brief, longer, "other", 0, "", 2));
    updated(QueueUpdate.NOTHING.partitions(3), new QueueSettings(brief, longer, "other", 0, "", 3));
    updated(QueueUpdate.NOTHING.partitions(0), new QueueSettings(brief, longer, "other", 0, "", 3));
    updated(QueueUpdate.NOTHING.deadQueue(""), new QueueSettings(brief, longer, "", 0, "", 3));
  }

  @Test
  @Guarantee("Q62")
  void an_update_keeps_namespace_and_pause() {
    Queue queue = create(named("q").inNamespace("shop"));
    queue.admin().pause();

    QueueInfo changed = queues.update("q", QueueUpdate.NOTHING.maxAttempts(2));

    assertThat(changed.namespace()).isEqualTo("shop");
    assertThat(changed.paused()).isEqualTo(Pause.LEASE);
  }

  @Test
  @Guarantee("Q63")
  void get_after_update_is_fresh_in_every_process() {
    Queue here = create(named("q"));
    Queues elsewhere = process();
    elsewhere.get("q");
    produce(elsewhere.queue("q"), "a");

    Duration brief = Duration.ofSeconds(3);
    QueueInfo changed = queues.update("q", QueueUpdate.NOTHING.leaseFor(brief));

    assertThat(elsewhere.get("q")).isEqualTo(changed);
    LeasedItems leased = lease(elsewhere.queue("q"), 1);
    assertThat(leased.items().get(0).leaseDeadline()).isEqualTo(in(brief));
    assertThat(stored(here).get(0).times().leaseDeadline()).isEqualTo(in(brief));
  }

  @Test
  @Guarantee("Q65")
  void a_new_expire_timeout_applies_to_new_items_only() {
    Queue queue = create(named("q"));
    produce(queue, "old");
    queues.update("q", QueueUpdate.NOTHING.expireAfter(EXPIRE.multipliedBy(3)));
    produce(queue, "new");

    assertThat(stored(queue))
        .extracting(item -> item.times().expireDeadline())
        .containsExactly(in(EXPIRE), in(EXPIRE.multipliedBy(3)));
    pass(EXPIRE);

    assertThat(texts(stored(queue))).containsExactly("new");
  }

  @Test
  @Guarantee("Q69")
  void a_queue_in_use_as_dead_queue_cannot_be_deleted() {
    create(named("dead"));
    create(named("q").deadQueue("dead"));

    for (boolean force : new boolean[] {false, true}) {
      assertThat(failing(CONFLICT, () -> queues.delete("dead", force)))
          .hasMessage("queue is in use; 'dead' is a dead queue");
    }
    assertThat(queues.get("dead").name()).isEqualTo("dead");

    queues.update("q", QueueUpdate.NOTHING.deadQueue(""));
    queues.delete("dead", false);
    assertThat(names(QueuePage.FIRST)).containsExactly("q");
  }

  @Test
  @Guarantee("Q70")
  void a_queue_with_an_item_in_any_state_needs_force() {
    Queue queue = create(named("q").partitions(2));
    produce(queue, "a");
    assertThat(failing(CONFLICT, () -> queues.delete("q", false)))
        .hasMessage("queue is not empty; 'q' has items");

    LeasedItems leased = lease(queue, 1);
    failing(CONFLICT, () -> queues.delete("q", false));

    queue.retry(leased.partition(), List.of(Retry.at(leased.ids().get(0), in(LEASE))));
    failing(CONFLICT, () -> queues.delete("q", false));
    assertThat(queue.admin().listScheduled(leased.partition(), "", 0)).hasSize(1);

    queues.delete("q", true);
    failing(INVALID, () -> queues.get("q"));
  }

  @Test
  @Guarantee("Q70")
  void a_queue_that_became_empty_needs_no_force() {
    Queue queue = create(named("q"));
    produce(queue, "a", "b");
    queue.admin().clear(Clear.EVERYTHING);

    queues.delete("q", false);

    assertThat(names(QueuePage.FIRST)).isEmpty();
  }

  @Test
  @Guarantee("Q71")
  void a_re_created_queue_is_empty() {
    Queue queue = create(named("q"));
    produce(queue, "old");
    String id = lease(queue, 1).ids().get(0);
    queue.produce(List.of(NewItem.text("later").at(in(LEASE))), PATIENCE);
    queue.admin().pause();
    queues.delete("q", true);

    Queue again = create(named("q"));
    pass(LEASE.multipliedBy(2));

    assertThat(stored(again)).isEmpty();
    assertThat(scheduled(again)).isEmpty();
    assertThat(queues.get("q").paused()).isEqualTo(Pause.NONE);
    failing(INVALID, () -> again.complete(0, List.of(id), PATIENCE));
    produce(again, "new");
    assertThat(texts(lease(again, 5))).containsExactly("new");
  }

  @Test
  @Guarantee("Q71")
  void a_process_that_knew_the_old_queue_sees_only_the_new_one() {
    create(named("q").maxAttempts(9));
    Queues elsewhere = process();
    produce(elsewhere.queue("q"), "old");

    queues.delete("q", true);
    time.advance(Duration.ofSeconds(1));
    create(named("q"));
    settle();
    produce(elsewhere.queue("q"), "new");

    assertThat(texts(lease(elsewhere.queue("q"), 5))).containsExactly("new");
    assertThat(elsewhere.get("q").settings().maxAttempts()).isZero();
  }

  @Test
  @Guarantee("Q71")
  void calls_on_a_deleted_queue_are_refused_and_those_that_wait_are_answered() {
    Queue queue = create(named("q"));
    CompletableFuture<LeasedItems> waiting = parked(queue, "client", 1);

    queues.delete("q", false);

    settle();
    eventually(waiting::isDone);
    assertThat(waiting).isCompletedExceptionally();
    failing(INVALID, () -> produce(queue, "a"));
    failing(INVALID, () -> now(waiting(queue, "other", 1)));
    failing(INVALID, () -> queue.admin().stats());
  }

  @Test
  @Guarantee("Q72")
  void names_with_the_same_table_hash_are_refused() {
    String first = "q0565241b09697610";
    String second = "q0099d0650ddfe94d";
    assertThat(TableHash.of(first)).isEqualTo(TableHash.of(second));
    create(named(first));

    assertThat(failing(INVALID, () -> queues.create(named(second))))
        .hasMessageStartingWith("queue name is invalid; ");

    assertThat(names(QueuePage.FIRST)).containsExactly(first);
    queues.delete(first, false);
    create(named(second));
    assertThat(names(QueuePage.FIRST)).containsExactly(second);
  }

  @Test
  @Guarantee("Q73")
  void placement_yields_the_requested_number_of_partitions() {
    for (int partitions : new int[] {1, 2, 100, 1024}) {
      QueueInfo made = queues.create(named("q" + partitions).partitions(partitions));

      assertThat(made.settings().requestedPartitions()).isEqualTo(partitions);
      assertThat(made.partitions()).hasSize(partitions);
      for (int i = 0; i < partitions; i++) {
        assertThat(made.partitions().get(i).number()).isEqualTo(i);
      }
    }
  }

  @Test
  @Guarantee("Q76")
  void added_partitions_are_used_at_once() {
    Queue queue = create(named("q"));
    produce(queue, "first");

    QueueInfo grown = queues.update("q", QueueUpdate.NOTHING.partitions(4));

    assertThat(grown.partitions()).extracting(PartitionInfo::number).containsExactly(0, 1, 2, 3);
    Set<Integer> used = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      used.add(produce(queue, "more").partition());
    }
    assertThat(used).containsExactlyInAnyOrder(1, 2, 3);
    assertThat(queue.admin().stats().partitions()).hasSize(4);
    for (int i = 0; i < 4; i++) {
      assertThat(lease(queue, 5).items()).hasSize(1);
    }
  }

  @Test
  @Guarantee("Q76")
  void fewer_partitions_are_only_recorded() {
    Queue queue = create(named("q").partitions(3));
    produce(queue, "a");

    QueueInfo less = queues.update("q", QueueUpdate.NOTHING.partitions(1));

    assertThat(less.settings().requestedPartitions()).isEqualTo(1);
    assertThat(less.partitions()).hasSize(3);
    assertThat(queue.admin().list(2, "", 0)).isEmpty();
    assertThat(queue.admin().stats().partitions()).hasSize(3);
  }

  private void updated(QueueUpdate update, QueueSettings expected) {
    assertThat(queues.update("q", update).settings()).isEqualTo(expected);
    assertThat(queues.get("q").settings()).isEqualTo(expected);
  }

  private List<String> names(QueuePage page) {
    return queues.list(page).stream().map(QueueInfo::name).toList();
  }
}
