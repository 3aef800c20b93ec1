package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFixture.CALL;
import static io.holdfast.postgres.QueueFixture.leaseIds;
import static io.holdfast.postgres.QueueFixture.produce;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.ItemIds;
import io.holdfast.queue.Partition;
import io.holdfast.queue.QueueInfo;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ids are made inside the database, sort by age, and are never given out twice. */
@Timeout(60)
class QueueIdTest {
  private final QueueFixture queues = QueueFixture.manual();

  @AfterEach
  void close() {
    queues.close();
  }

  @Test
  void the_database_computes_the_same_prefixes_as_this_library() throws Exception {
    queues.queue("orders");
    List<Instant> instants = new ArrayList<>();
    Random random = new Random(42);
    instants.add(Instant.EPOCH);
    instants.add(Instant.ofEpochSecond(1_400_000_000L));
    instants.add(Instant.ofEpochSecond(1_400_000_000L).plus(1, ChronoUnit.MICROS));
    instants.add(Instant.ofEpochSecond(1_400_000_000L + 0xFFFFFFFFL, 999_999_000));
    for (int i = 0; i < 3000; i++) {
      long micros = 1_400_000_000_000_000L + (random.nextLong() >>> 13) % 4_000_000_000_000_000L;
      instants.add(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
    }
    String sql =
        """
        SELECT u.at, f.queue_prefix_v1(u.at), f.queue_digits_v1(f.queue_prefix_v1(u.at)),
               f.queue_number_v1(f.queue_digits_v1(f.queue_prefix_v1(u.at)) || repeat('z', 17))
          FROM unnest(?::timestamptz[]) AS u (at)
        """
            .replace("f.", queues.schema + ".");

    try (Connection connection = TestDatabase.connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      Binds.of(statement).instants(instants);
      try (ResultSet rows = statement.executeQuery()) {
        for (Instant at : instants) {
          rows.next();
          assertThat(rows.getLong(2)).as("%s", at).isEqualTo(ItemIds.prefix(at));
          assertThat(rows.getString(3)).isEqualTo(ItemIds.digits(ItemIds.prefix(at)));
          assertThat(rows.getLong(4)).isEqualTo(rows.getLong(2));
        }
      }
    }
  }

  @Test
  void a_prefix_costs_less_than_20_microseconds() {
    queues.queue("orders");
    String sql =
        """
        SELECT extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000000 / 20000
          FROM (SELECT count(f.queue_digits_v1(f.queue_prefix_v1(
                         '2026-01-01'::timestamptz + g * interval '1 microsecond')))
                  FROM generate_series(1, 20000) AS g OFFSET 0) AS all_of_them
        """
            .replace("f.", queues.schema + ".");

    double best = Double.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      best = Math.min(best, Double.parseDouble(String.valueOf(TestDatabase.query(sql))));
    }

    assertThat(best).isLessThan(20);
  }

  @Test
  @Guarantee({"QF14", "Q10", "Q03"})
  void new_ids_sort_last_while_the_clock_stands_still_or_steps_back() {
    QueueInfo orders = queues.queue("orders");
    Partition here = queues.open(orders);
    Partition there = queues.open(queues.process(), orders, 0);
    List<String> ids = new ArrayList<>();

    ids.addAll(produce(here, "a", "b"));
    ids.addAll(produce(there, "c"));
    queues.manual.stepDatabase(-Duration.ofHours(1).toMillis());
    ids.addAll(produce(there, "d"));
    ids.addAll(produce(here, "e"));
    queues.manual.stepDatabase(Duration.ofHours(2).toMillis());
    ids.addAll(produce(here, "f"));

    assertThat(ids).isSorted().doesNotHaveDuplicates();
    assertThat(leaseIds(here, 9)).containsExactlyElementsOf(ids);
  }

  @Test
  @Guarantee({"QF14", "Q10"})
  void a_process_remembers_the_highest_id_it_saw_after_the_item_has_gone() {
    QueueInfo orders = queues.queue("orders");
    Partition here = queues.open(orders);
    String first = produce(here, "a").get(0);
    here.complete(List.of(leaseIds(here, 1)), CALL);
    queues.manual.stepDatabase(-Duration.ofHours(1).toMillis());

    String second = produce(here, "b").get(0);

    assertThat(second).isGreaterThan(first);
  }

  @Test
  void an_id_decodes_to_the_moment_of_its_insert() {
    Partition partition = queues.open(queues.queue("orders"));

    String id = produce(partition, "a").get(0);

    assertThat(ItemIds.isWellFormed(id)).isTrue();
    assertThat(ItemIds.prefix(id)).isEqualTo(ItemIds.prefix(queues.now()));
  }
}
