package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes come back as they were given, whatever they are and however many. */
public abstract class JobContentContract extends JobSuite {
  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private void comesBack(byte[] payload) {
    LeasedJob job = leased(draft().payload(payload));
    assertThat(job.job().spec().payload()).isEqualTo(payload);
    assertThat(jobs.inspect(job.id()).spec().payload()).isEqualTo(payload);

    jobs.retry(job.held(), null, "again");
    LeasedJob again = reserve();
    assertThat(again.job().spec().payload()).isEqualTo(payload);
    jobs.ack(again.held());
    assertThat(jobs.inspect(job.id()).spec().payload()).isEqualTo(payload);
  }

  @ParameterizedTest
  @Guarantee("JF21")
  @ValueSource(ints = {0, 1, 255, 4096, 1 << 16, (1 << 20) - 1, 1 << 20})
  void a_payload_of_any_size_comes_back(int size) {
    comesBack(random(size));
  }

  @ParameterizedTest
  @Guarantee("JF21")
  @ValueSource(
      strings = {
        "'",
        "\"",
        "\\",
        "'; DROP TABLE th_jobs; --",
        "\\x00",
        "\0",
        "a\0b",
        "\ud83d\ude00",
        "{\"a\": [1, null]}",
        "$1 ? %s",
        "\ufeff",
        "\uffff",
        "{now}"
      })
  void a_payload_of_any_text_comes_back(String text) {
    comesBack(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  @Guarantee("JF21")
  void a_payload_of_every_byte_comes_back() {
    byte[] bytes = new byte[256];
    IntStream.range(0, 256).forEach(i -> bytes[i] = (byte) i);

    comesBack(bytes);
  }

  @Test
  @Guarantee({"J16", "JF21"})
  void large_payloads_of_one_batch_come_back_in_order() {
    List<byte[]> payloads = List.of(random(1 << 20), random(0), random((1 << 20) - 1), random(7));

    jobs.enqueue(payloads.stream().map(payload -> draft().payload(payload)).toList());

    List<LeasedJob> got = reserve(9);
    assertThat(got).hasSize(4);
    for (int i = 0; i < 4; i++) {
      assertThat(got.get(i).job().spec().payload()).isEqualTo(payloads.get(i));
    }
  }

  @ParameterizedTest
  @Guarantee({"J47", "J76", "JF21"})
  @ValueSource(ints = {0, 1, 1 << 16})
  void a_checkpoint_and_an_output_of_any_bytes_come_back(int size) {
    byte[] bytes = random(size);
    LeasedJob first = leased();
    settle(new Settlement.Report(first.held(), null, null, bytes));
    jobs.retry(first.held(), null, "again");

    LeasedJob second = reserve();
    assertThat(second.job().progress().checkpoint()).isEqualTo(bytes);
    settle(new Settlement.Ack(second.held(), bytes));

    Job done = jobs.inspect(first.id());
    assertThat(done.progress().checkpoint()).isEqualTo(bytes);
    assertThat(end(first.id()).output()).isEqualTo(bytes);
  }

  @Test
  @Guarantee({"J8", "JF21"})
  void stored_bytes_do_not_follow_what_was_read() {
    LeasedJob job = leased();
    settle(new Settlement.Report(job.held(), null, null, new byte[] {1}));
    byte[] checkpoint = jobs.inspect(job.id()).progress().checkpoint();
    assertThat(checkpoint).containsExactly(1);
    overwrite(checkpoint);
    settle(new Settlement.Ack(job.held(), new byte[] {2}));
    overwrite(end(job.id()).output());

    assertThat(jobs.inspect(job.id()).progress().checkpoint()).containsExactly(1);
    assertThat(end(job.id()).output()).containsExactly(2);
  }

  private static void overwrite(byte @Nullable [] bytes) {
    if (bytes != null) {
      bytes[0] = 99;
    }
  }
}
