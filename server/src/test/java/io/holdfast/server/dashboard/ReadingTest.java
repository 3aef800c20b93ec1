package io.holdfast.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.server.Services;
import io.holdfast.server.TestServer;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Figures are right wherever they are read from. */
class ReadingTest {
  private static <T> T named(List<T> all, Function<T, String> name, String wanted) {
    return all.stream().filter(one -> name.apply(one).equals(wanted)).findAny().orElseThrow();
  }

  private static void check(Services given) {
    try (Services services = given) {
      new Shop(services).open();

      Figures figures = new Reading(services).read(1);

      Figures.OfQueue mails = named(figures.queues(), Figures.OfQueue::name, "mails");
      assertThat(mails.ready()).isEqualTo(3);
      assertThat(mails.leased()).isEqualTo(2);
      assertThat(mails.scheduled()).isEqualTo(1);
      assertThat(mails.dead()).isEqualTo(2);
      assertThat(mails.produced()).isEqualTo(8);
      assertThat(mails.handedOut()).isEqualTo(4);
      assertThat(mails.retried()).isEqualTo(2);
      assertThat(mails.oldestAt()).isNotNull();
      assertThat(named(figures.queues(), Figures.OfQueue::name, "mails-dead").deadOf())
          .containsExactly("mails");
      assertThat(named(figures.queues(), Figures.OfQueue::name, "thumbnails").partitions())
          .hasSize(3);

      Figures.OfStream orders = named(figures.streams(), Figures.OfStream::name, "orders");
      assertThat(orders.pushed()).isEqualTo(20);
      assertThat(orders.depth()).isEqualTo(19);
      assertThat(orders.dead()).isEqualTo(1);
      assertThat(orders.stuck()).isEqualTo(1);
      assertThat(orders.leased()).isEqualTo(1);
      assertThat(orders.groups())
          .extracting(Figures.Group::name)
          .containsExactlyInAnyOrder("billing", "shipping");

      Figures.OfJobs reports = named(figures.jobs(), Figures.OfJobs::name, "reports");
      assertThat(reports.ready()).isEqualTo(1);
      assertThat(reports.running()).isEqualTo(1);
      assertThat(reports.scheduled()).isEqualTo(1);
      assertThat(reports.dead()).isEqualTo(1);
      assertThat(reports.finishedLastMinute()).isEqualTo(1);
      assertThat(figures.schedules()).extracting(Figures.Recurring::name).contains("daily-digest");

      assertThat(figures.locks().holders())
          .extracting(Figures.Holder::key)
          .contains(Shop.KEY, "nightly/report");
    }
  }

  @Test
  void in_memory() {
    check(Services.of(Holdfast.inMemory()));
  }

  @Test
  void on_postgres() {
    PostgresHoldfast store = PostgresHoldfast.open(TestServer.freshDatabase());
    check(new Services(store.locks(), store.queues(), store.streams(), store.jobs(), store));
  }
}
