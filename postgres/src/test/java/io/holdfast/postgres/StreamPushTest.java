package io.holdfast.postgres;

import static io.holdfast.postgres.StreamFixture.CALL;
import static io.holdfast.postgres.StreamFixture.entry;
import static io.holdfast.postgres.StreamFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.stream.Entry;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a push does, rule by rule. */
@Timeout(60)
class StreamPushTest {
  private final StreamFixture streams = StreamFixture.manual();

  @AfterEach
  void close() {
    assertThat(streams.drift()).isNull();
    streams.close();
  }

  @Test
  void the_first_push_makes_queue_and_partition() {
    List<Pushed> pushed = streams.push(entry("a.b.c", "p", "1"), entry("a.b.c", "p", "2"));

    assertThat(pushed).extracting(Pushed::offset).containsExactly(1L, 2L);
    assertThat(pushed).extracting(Pushed::status).containsOnly(Pushed.Status.QUEUED);
    assertThat(pushed.get(0).transactionId()).isEqualTo(pushed.get(0).messageId().toString());
    assertThat(pushed.get(0).messageId().version()).isEqualTo(7);
    assertThat(StreamIds.partition(pushed.get(0).partitionId())).isPresent();
    assertThat(pushed.get(0).capacity()).isNull();
    assertThat(streams.query("SELECT namespace || '/' || task FROM holdfast.stream_queue"))
        .isEqualTo("a/b");
    assertThat(streams.query("SELECT count(*) FROM holdfast.stream_partition")).isEqualTo("1");
  }

  @Test
  void entries_keep_their_order_over_queues_and_partitions() {
    streams.push(entry("q", "old", "0"));

    List<Pushed> pushed =
        streams.push(
            entry("r", "new", "1"),
            entry("q", "old", "2"),
            entry("q", "new", "3"),
            entry("r", "new", "4"),
            entry("q", "old", "5"));

    assertThat(pushed).extracting(Pushed::offset).containsExactly(1L, 2L, 1L, 2L, 3L);
    assertThat(texts(streams.pop(streams.request().partition("old"))))
        .containsExactly("0", "2", "5");
  }

  @Test
  void instants_and_ids_of_a_partition_grow() {
    streams.push("p", "1");
    streams.push("p", "2");
    streams.manual.stepDatabase(-5000);
    streams.push("p", "3");

    var messages = streams.pop().messages();

    for (int i = 1; i < messages.size(); i++) {
      assertThat(messages.get(i).createdAt())
          .isEqualTo(messages.get(i - 1).createdAt().plusNanos(1000));
      assertThat(messages.get(i).id().toString())
          .isGreaterThan(messages.get(i - 1).id().toString());
    }
  }

  @Test
  void a_known_transaction_id_is_a_duplicate_in_its_partition_only() {
    Pushed first = streams.push(entry("q", "p", "1", "t")).get(0);

    List<Pushed> again =
        streams.push(entry("q", "p", "2", "t"), entry("q", "o", "3", "t"), entry("q", "p", "4"));

    assertThat(again)
        .extracting(Pushed::status)
        .containsExactly(Pushed.Status.DUPLICATE, Pushed.Status.QUEUED, Pushed.Status.QUEUED);
    assertThat(again.get(0).messageId()).isEqualTo(first.messageId());
    assertThat(again.get(0).offset()).isEqualTo(1);
    assertThat(again.get(0).transactionId()).isEqualTo("t");
    assertThat(again.get(2).offset()).isEqualTo(2);
  }

  @Test
  void within_a_call_the_first_of_a_transaction_id_wins() {
    List<Pushed> pushed =
        streams.push(entry("q", "p", "1", "t"), entry("q", "p", "2", "t"), entry("q", "p", "3"));

    assertThat(pushed.get(1).status()).isEqualTo(Pushed.Status.DUPLICATE);
    assertThat(pushed.get(1).messageId()).isEqualTo(pushed.get(0).messageId());
    assertThat(pushed.get(1).offset()).isEqualTo(1);
    assertThat(pushed.get(2).offset()).isEqualTo(2);
  }

  @Test
  void the_dedup_window_ends_and_the_newest_counts() {
    streams.configure("dedup_window_seconds = 10");
    streams.push(entry("q", "p", "1", "t"));
    streams.advance(10);
    Pushed second = streams.push(entry("q", "p", "2", "t")).get(0);
    streams.advance(9);

    Pushed third = streams.push(entry("q", "p", "3", "t")).get(0);

    assertThat(second.status()).isEqualTo(Pushed.Status.QUEUED);
    assertThat(third.status()).isEqualTo(Pushed.Status.DUPLICATE);
    assertThat(third.messageId()).isEqualTo(second.messageId());
  }

  @Test
  void a_dedup_window_of_zero_is_none() {
    streams.configure("dedup_window_seconds = 0");

    List<Pushed> pushed = streams.push(entry("q", "p", "1", "t"), entry("q", "p", "2", "t"));

    assertThat(pushed).extracting(Pushed::status).containsOnly(Pushed.Status.QUEUED);
  }

  @Test
  void a_push_that_does_not_fit_stores_nothing() {
    streams.configure("max_queue_size = 3");
    Pushed one = streams.push(entry("q", "p", "1", "t")).get(0);
    assertThat(one.capacity()).isEqualTo(new Pushed.Capacity(1, 2));

    assertThatThrownBy(() -> streams.push("p", "2", "3", "4"))
        .isInstanceOfSatisfying(
            QueueFullException.class,
            e -> {
              assertThat(e.depth()).isEqualTo(1);
              assertThat(e.maxSize()).isEqualTo(3);
              assertThat(e.queue()).isEqualTo("q");
            });
    List<Pushed> fits =
        streams.push(entry("q", "p", "1", "t"), entry("q", "p", "2"), entry("q", "o", "3"));
    assertThat(fits.get(0).capacity()).isEqualTo(new Pushed.Capacity(3, 0));
    assertThat(streams.push(entry("q", "p", "1", "t")).get(0).status())
        .isEqualTo(Pushed.Status.DUPLICATE);
  }

  @Test
  void the_slowest_active_group_determines_depth() {
    streams.configure("max_queue_size = 2, abandoned_group_seconds = 100");
    streams.push("p", "1", "2");
    streams.pop(streams.request().group("slow"));
    streams.ack(streams.pop(), Verdict.COMPLETED);
    assertThatThrownBy(() -> streams.push("p", "3")).isInstanceOf(QueueFullException.class);

    streams.advance(99);
    streams.pop();
    streams.advance(1);

    assertThat(streams.push("p", "3").get(0).capacity()).isEqualTo(new Pushed.Capacity(1, 1));
  }

  @Test
  void a_paused_queue_refuses_and_nothing_is_made() {
    streams.push("p", "1");
    streams.update("UPDATE holdfast.stream_queue SET push_pause = 'reject'");

    assertThatThrownBy(() -> streams.push(entry("q", "p", "2"), entry("new", "p", "3")))
        .isInstanceOfSatisfying(
            StreamException.class, e -> assertThat(e.error()).isEqualTo(StreamError.PAUSED));
    streams.update("UPDATE holdfast.stream_queue SET push_pause = NULL");
    streams.update("UPDATE holdfast.stream_global SET push_pause = 'reject'");
    assertThatThrownBy(() -> streams.push(entry("new", "p", "3")))
        .isInstanceOf(StreamException.class);
    assertThat(streams.query("SELECT count(*) FROM holdfast.stream_queue")).isEqualTo("1");
  }

  @Test
  void entries_of_the_wrong_form_are_answered_with_the_queue() {
    streams.configure("encryption_enabled = true, ttl = 1".replace(", ttl = 1", ""));
    streams.update(
        "UPDATE holdfast.stream_queue SET extra = '{\"ttl\": 7, \"deadLetterQueue\": true}'");

    StreamLog.PushAnswer answer = streams.log.push(List.of(entry("q", "p", "1")), CALL);

    assertThat(answer)
        .isInstanceOfSatisfying(
            StreamLog.WrongForm.class,
            wrong -> {
              assertThat(wrong.queue().name()).isEqualTo("q");
              var settings = wrong.queue().settings();
              assertThat(settings.is(io.holdfast.stream.StreamOption.ENCRYPTION_ENABLED)).isTrue();
              assertThat(settings.number(io.holdfast.stream.StreamOption.TTL)).isEqualTo(7);
              assertThat(settings.is(io.holdfast.stream.StreamOption.DEAD_LETTER_QUEUE)).isTrue();
              assertThat(settings.has(io.holdfast.stream.StreamOption.DEDUP_WINDOW)).isFalse();
            });
    Entry sealed = new Entry("q", "p", Payload.of("1"), true, null, null, null);
    assertThat(streams.push(sealed)).hasSize(1);
    assertThat(streams.pop().batches().get(0).deliveries().get(0).isEncrypted()).isTrue();
  }

  @Test
  void a_new_partition_has_cursors_for_all_groups() {
    streams.push("p", "1");
    streams.pop();
    streams.pop(streams.request().group("later").startingAt(Start.NEW));
    streams.advance(1);

    streams.push("new", "2");

    assertThat(texts(streams.pop())).containsExactly("2");
    assertThat(texts(streams.pop(streams.request().group("later")))).containsExactly("2");
  }

  @Test
  void everything_of_an_entry_is_kept() {
    UUID trace = UUID.randomUUID();
    byte[] bytes = new byte[3_000_000];
    java.util.concurrent.ThreadLocalRandom.current().nextBytes(bytes);
    streams.push(new Entry("q", "p", Payload.of(bytes), false, "t", trace, "me"));
    streams.push(new Entry("q", "p", Payload.EMPTY, false, null, null, null));

    var messages = streams.pop().messages();

    assertThat(messages.get(0).payload().bytes()).isEqualTo(bytes);
    assertThat(messages.get(0).traceId()).isEqualTo(trace);
    assertThat(messages.get(0).producer()).isEqualTo("me");
    assertThat(messages.get(0).transactionId()).isEqualTo("t");
    assertThat(messages.get(1).payload().size()).isZero();
  }

  @Test
  void concurrent_first_pushes_make_one_of_everything() {
    List<CompletableFuture<List<Pushed>>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int n = i;
      all.add(
          CompletableFuture.supplyAsync(
              () -> streams.push(entry("q", "p", "x", "same"), entry("q", "p" + n % 2, "y"))));
    }
    long stored =
        all.stream()
            .map(CompletableFuture::join)
            .filter(p -> p.get(0).status() == Pushed.Status.QUEUED)
            .count();

    assertThat(stored).isEqualTo(1);
    assertThat(streams.query("SELECT count(*) FROM holdfast.stream_queue")).isEqualTo("1");
    assertThat(streams.query("SELECT count(*) FROM holdfast.stream_partition")).isEqualTo("3");
    assertThat(streams.query("SELECT count(*) FROM holdfast.stream_message")).isEqualTo("9");
  }

  @Test
  void a_large_push_over_many_partitions_is_stored() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      entries.add(entry("q", "p" + i % 5000, "x", "t" + i));
    }

    List<Pushed> pushed = streams.push(entries);

    assertThat(pushed.get(9999).offset()).isEqualTo(2);
    assertThat(streams.push(entries)).allMatch(p -> p.status() == Pushed.Status.DUPLICATE);
    assertThat(streams.pop(PopRequest.of("q").batch(10_000).partitions(1000)).messages())
        .hasSize(2000);
  }
}
