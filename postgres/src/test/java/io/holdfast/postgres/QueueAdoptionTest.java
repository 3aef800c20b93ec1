package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFixture.CALL;
import static io.holdfast.postgres.QueueFixture.leaseTexts;
import static io.holdfast.postgres.QueueFixture.produce;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.NewQueue;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.StoredItem;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A schema that Querator filled is taken over with everything in it. */
@Timeout(60)
class QueueAdoptionTest {
  private final QueueFixture queues = QueueFixture.manual();

  @BeforeEach
  void asQuerator() {
    TestDatabase.execute(
        """
        CREATE SCHEMA {s};
        CREATE TABLE {s}.queues (
          name TEXT PRIMARY KEY, lease_timeout_ns BIGINT NOT NULL, expire_timeout_ns BIGINT NOT NULL,
          dead_queue TEXT, max_attempts INTEGER NOT NULL DEFAULT 0, reference TEXT,
          requested_partitions INTEGER NOT NULL, created_at TIMESTAMPTZ NOT NULL,
          updated_at TIMESTAMPTZ NOT NULL, namespace TEXT, partition_info JSONB NOT NULL);
        INSERT INTO {s}.queues VALUES ('orders', 60000000000, 86400000000000, NULL, 3, 'old', 2,
          '2025-01-01', '2025-01-01', '',
          '[{"partition":0,"storage_name":"postgres-0","read_only":false},
            {"partition":1,"storage_name":"postgres-0","read_only":false}]');
        CREATE TABLE {s}."items_1buPSdlPil_0" (
          id TEXT COLLATE "C" PRIMARY KEY, is_leased BOOLEAN NOT NULL DEFAULT false,
          lease_deadline TIMESTAMPTZ, expire_deadline TIMESTAMPTZ NOT NULL, enqueue_at TIMESTAMPTZ,
          created_at TIMESTAMPTZ NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
          max_attempts INTEGER NOT NULL DEFAULT 0, reference TEXT NOT NULL DEFAULT '',
          encoding TEXT NOT NULL DEFAULT '', kind TEXT NOT NULL DEFAULT '', payload BYTEA,
          source_id TEXT);
        CREATE INDEX "idx_1buPSdlPil_0_lse" ON {s}."items_1buPSdlPil_0" (is_leased, enqueue_at)
          WHERE enqueue_at IS NULL;
        CREATE INDEX "idx_1buPSdlPil_0_dln" ON {s}."items_1buPSdlPil_0" (lease_deadline) WHERE is_leased;
        CREATE UNIQUE INDEX "idx_1buPSdlPil_0_src" ON {s}."items_1buPSdlPil_0" (source_id)
          WHERE source_id IS NOT NULL;
        INSERT INTO {s}."items_1buPSdlPil_0" (id, expire_deadline, created_at, payload)
        VALUES ('0ujtsYcgvSTl8PAuAdqWYSMnLOv', 'infinity', '2025-01-01', 'old'),
               ('zzzzzzzzzz000000000000000AA', 'infinity', '2025-01-01', 'ahead of time')
        """
            .replace("{s}", queues.schema)
            .replace("zzzzzzzzzz", "aWgEPTl000"));
  }

  @AfterEach
  void close() {
    queues.close();
  }

  @Test
  void its_queues_and_items_are_ours_and_ids_continue() {
    QueueInfo orders = queues.catalog().get("orders", CALL).orElseThrow();
    PostgresPartition partition = queues.open(orders);

    List<String> ids = produce(partition, "new");

    assertThat(orders.settings().maxAttempts()).isEqualTo(3);
    assertThat(orders.settings().leaseTimeout()).isEqualTo(Duration.ofMinutes(1));
    assertThat(orders.settings().deadQueue()).isEmpty();
    assertThat(orders.partitions()).contains(new PartitionInfo(1, "postgres-0", false));
    assertThat(ids.get(0)).isGreaterThan("aWgEPTl000000000000000000AA");
    assertThat(leaseTexts(partition, 9)).containsExactly("old", "ahead of time", "new");
    assertThat(partition.list("", 9, CALL))
        .extracting(StoredItem::origin)
        .containsOnly(StoredItem.Origin.NONE);
    produce(queues.open(queues.store(), orders, 1), "x");
  }

  @Test
  void it_gets_our_columns_and_indexes_beside_its_own() {
    queues.catalog().get("orders", CALL);
    queues.process().queues().catalog().get("orders", CALL);

    assertThat(TestDatabase.query("SELECT table_hash FROM " + queues.schema + ".queues"))
        .isEqualTo("1buPSdlPil");
    assertThat(
            TestDatabase.query(
                """
                SELECT string_agg(right(indexname, 4), ' ' ORDER BY indexname) FROM pg_indexes
                 WHERE schemaname = '%s' AND indexname LIKE 'idx%%'
                """
                    .formatted(queues.schema)))
        .isEqualTo("_dln _due _exq _lse _rdy _src");
  }

  @Test
  void new_queues_stand_beside_the_old_ones() {
    QueueInfo emails = queues.add(NewQueue.named("emails").deadQueue("orders"));

    assertThat(queues.catalog().versions(CALL)).containsOnlyKeys("emails", "orders");
  }
}
