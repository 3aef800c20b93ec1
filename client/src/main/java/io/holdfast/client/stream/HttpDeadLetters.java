package io.holdfast.client.stream;

import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.DeadLetters;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.Redriven;
import io.holdfast.stream.StreamRules;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** Messages that groups of a server gave up. */
final class HttpDeadLetters implements DeadLetters {
  private final StreamCalls calls;

  HttpDeadLetters(StreamCalls calls) {
    this.calls = calls;
  }

  @Override
  public List<DeadLetter> list(DeadLetterQuery query) {
    return List.of(
        Objects.requireNonNull(
            calls.<DeadLetter[]>ask(
                "deadLetters", Arguments.of("letters", query), DeadLetter[].class)));
  }

  @Override
  public long count(DeadLetterQuery query) {
    return Objects.requireNonNull(
        calls.<Long>ask("countDeadLetters", Arguments.of("letters", query), Long.class));
  }

  @Override
  public List<Count> countByPartition(DeadLetterQuery query) {
    return List.of(
        Objects.requireNonNull(
            calls.<Count[]>ask(
                "countDeadLettersByPartition", Arguments.of("letters", query), Count[].class)));
  }

  @Override
  public Optional<DeadLetter> get(UUID id) {
    StreamRules.checkId("id", id);
    return Optional.ofNullable(calls.ask("deadLetter", Arguments.of("id", id), DeadLetter.class));
  }

  @Override
  public int purge(DeadLetterQuery query) {
    return Objects.requireNonNull(
        calls.<Integer>change("purgeDeadLetters", Arguments.of("letters", query), Integer.class));
  }

  @Override
  public List<Redriven> redrive(List<UUID> ids, Redrive how) {
    return redriven("ids", ids, how);
  }

  @Override
  public List<Redriven> redrive(DeadLetterQuery query, Redrive how) {
    return redriven("letters", query, how);
  }

  private List<Redriven> redriven(String which, Object value, Redrive how) {
    return List.of(
        Objects.requireNonNull(
            calls.<Redriven[]>change(
                "redrive", Arguments.of(which, value, "redrive", how), Redriven[].class)));
  }
}
