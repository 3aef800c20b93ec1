package io.holdfast.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.server.http.Caller;
import io.holdfast.server.http.Json;
import io.holdfast.server.http.Outlet;
import io.holdfast.server.http.Role;
import io.holdfast.testkit.ManualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

class SamplerTest {
  private final ManualTime time = new ManualTime();
  private int reads;
  private boolean isAway;
  private final LongFunction<Figures> reading =
      now -> {
        reads++;
        if (isAway) {
          throw new HoldfastException(ErrorCode.SERVICE_UNAVAILABLE, "the database is away", null);
        }
        return figures(now);
      };
  private final Sampler sampler = new Sampler(reading, time, InstantSource.system());

  private static Figures figures(long now) {
    Figures.OfLocks locks =
        new Figures.OfLocks(1, 0, 1, 0, List.of(new Figures.Holder("a/key", "hash", 1, 1, 2)));
    return new Figures(
        now,
        1,
        null,
        List.of(queue("a-mails"), queue("b-mails")),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        locks);
  }

  private static Figures.OfQueue queue(String name) {
    return new Figures.OfQueue(
        name, false, 3, 1, 0, null, "", 0, List.of(), 0, 1, 1, 0, List.of(), 0, 0, 0, 0);
  }

  /** Somebody who looks. */
  private static final class Looker implements Outlet {
    final List<String> received = new ArrayList<>();
    boolean isSlow;
    boolean isEnded;
    Runnable closed = () -> {};

    @Override
    public void send(byte[] bytes) {
      String text = new String(bytes, StandardCharsets.UTF_8);
      if (!text.startsWith(":")) {
        received.add(text);
      }
    }

    @Override
    public boolean isFull() {
      return isSlow;
    }

    @Override
    public void onClosed(Runnable action) {
      closed = action;
    }

    @Override
    public void end() {
      isEnded = true;
    }

    JsonNode last() throws IOException {
      String event = received.get(received.size() - 1);
      assertThat(event).startsWith("event: snapshot\ndata: ").endsWith("\n\n");
      return Json.MAPPER.readTree(event.substring("event: snapshot\ndata: ".length()));
    }
  }

  @Test
  void it_reads_only_while_somebody_looks() {
    assertThat(sampler.work()).isZero();
    Looker looker = new Looker();
    sampler.listen(Caller.ANYBODY, looker);

    sampler.work();
    looker.closed.run();
    time.advance(Duration.ofMinutes(1));

    assertThat(sampler.work()).isZero();
    assertThat(looker.received).hasSize(1);
    sampler.close();
  }

  @Test
  void many_who_look_cost_one_reading_every_two_seconds() {
    Looker one = new Looker();
    Looker two = new Looker();
    sampler.listen(Caller.ANYBODY, one);
    sampler.listen(Caller.ANYBODY, two);

    sampler.work();
    time.advance(Duration.ofMillis(1999));
    sampler.work();
    assertThat(reads).isEqualTo(1);
    time.advance(Duration.ofMillis(1));
    sampler.work();

    assertThat(reads).isEqualTo(2);
    assertThat(one.received).hasSize(2).isEqualTo(two.received);
    sampler.close();
  }

  @Test
  void who_does_not_keep_up_misses_figures() {
    Looker looker = new Looker();
    sampler.listen(Caller.ANYBODY, looker);
    looker.isSlow = true;

    sampler.work();

    assertThat(looker.received).isEmpty();
    sampler.close();
    assertThat(looker.isEnded).isTrue();
  }

  @Test
  void a_database_that_is_away_is_said_and_what_was_known_stays() throws IOException {
    Looker looker = new Looker();
    sampler.listen(Caller.ANYBODY, looker);
    sampler.work();
    isAway = true;
    time.advance(Duration.ofSeconds(2));

    sampler.work();

    assertThat(looker.last().get("problem").asText()).isEqualTo("the database is away");
    assertThat(looker.last().get("queues")).hasSize(2);
    isAway = false;
    time.advance(Duration.ofSeconds(2));
    sampler.work();
    assertThat(looker.last().get("problem").isNull()).isTrue();
    sampler.close();
  }

  @Test
  void names_and_keys_are_only_for_who_may_see_them() throws IOException {
    Looker viewer = new Looker();
    Looker owner = new Looker();
    sampler.listen(new Caller("viewer", Set.of(Role.READ), List.of("b-")), viewer);
    sampler.listen(new Caller("owner", Set.of(Role.READ), List.of()), owner);

    sampler.work();

    assertThat(viewer.last().get("queues")).hasSize(1);
    assertThat(viewer.last().toString()).doesNotContain("a-mails").doesNotContain("a/key");
    assertThat(owner.last().get("queues")).hasSize(2);
    assertThat(owner.last().toString()).doesNotContain("a/key").contains("hash");
    String past =
        new String(
            sampler.greeting(new Caller("viewer", Set.of(Role.READ), List.of("b-"))),
            StandardCharsets.UTF_8);
    assertThat(past).contains("b-mails").doesNotContain("a-mails");
    sampler.close();
  }
}
