package io.holdfast.client.stream;

import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.Position;
import io.holdfast.stream.StreamAdmin;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamRules;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What operators ask, of a server. */
final class HttpStreamAdmin implements StreamAdmin {
  private final StreamCalls calls;

  HttpStreamAdmin(StreamCalls calls) {
    this.calls = calls;
  }

  @Override
  public Optional<StreamInfo> find(String queue) {
    StreamRules.checkQueue(queue);
    return Optional.ofNullable(calls.ask("find", Arguments.of("queue", queue), StreamInfo.class));
  }

  @Override
  public List<StreamInfo> list(@Nullable String after, int limit) {
    return List.of(
        Objects.requireNonNull(
            calls.<StreamInfo[]>ask(
                "list", Arguments.of("after", after, "limit", limit), StreamInfo[].class)));
  }

  @Override
  public List<String> partitions(String queue, @Nullable String after, int limit) {
    StreamRules.checkQueue(queue);
    return List.of(
        Objects.requireNonNull(
            calls.<String[]>ask(
                "partitionNames",
                Arguments.of("queue", queue, "after", after, "limit", limit),
                String[].class)));
  }

  private void pausePush(@Nullable String queue, String how) {
    calls.change("pausePush", Arguments.of("queue", queue, "name", how), Boolean.class);
  }

  @Override
  public void pausePush(@Nullable String queue) {
    pausePush(queue, "reject");
  }

  @Override
  public void holdPush(@Nullable String queue) {
    pausePush(queue, "hold");
  }

  @Override
  public void resumePush(@Nullable String queue) {
    pausePush(queue, "resume");
  }

  @Override
  public long held(@Nullable String queue) {
    return Objects.requireNonNull(
        calls.<Long>ask("held", Arguments.of("queue", queue), Long.class));
  }

  @Override
  public void pausePop(@Nullable String queue) {
    calls.change("pausePop", Arguments.of("queue", queue, "flag", true), Boolean.class);
  }

  @Override
  public void resumePop(@Nullable String queue) {
    calls.change("pausePop", Arguments.of("queue", queue, "flag", false), Boolean.class);
  }

  @Override
  public StreamInfo.Paused pausedAll() {
    return Objects.requireNonNull(
        calls.<StreamInfo.Paused>ask("pausedAll", Arguments.of(), StreamInfo.Paused.class));
  }

  private int changed(String verb, @Nullable Object... arguments) {
    return Objects.requireNonNull(
        calls.<Integer>change(verb, Arguments.of(arguments), Integer.class));
  }

  @Override
  public int seek(String queue, String group, @Nullable String partition, Position to) {
    StreamRules.checkQueue(queue);
    StreamRules.checkGroup(group);
    return changed("seek", "queue", queue, "group", group, "partition", partition, "position", to);
  }

  @Override
  public int deleteGroup(String group, @Nullable String queue, boolean isKeepingStart) {
    StreamRules.checkGroup(group);
    return changed("deleteGroup", "group", group, "queue", queue, "flag", isKeepingStart);
  }

  @Override
  public int startGroupAt(String group, Instant at) {
    StreamRules.checkGroup(group);
    StreamRules.checkInstant("start", at);
    return changed("startGroupAt", "group", group, "at", at);
  }

  @Override
  public List<GroupInfo> groups(@Nullable String queue) {
    return List.of(
        Objects.requireNonNull(
            calls.<GroupInfo[]>ask("groups", Arguments.of("queue", queue), GroupInfo[].class)));
  }

  @Override
  public List<CursorInfo> cursors(
      String queue, @Nullable String group, @Nullable CursorKey after, int limit) {
    StreamRules.checkQueue(queue);
    return List.of(
        Objects.requireNonNull(
            calls.<CursorInfo[]>ask(
                "cursors",
                Arguments.of("queue", queue, "group", group, "cursor", after, "limit", limit),
                CursorInfo[].class)));
  }

  @Override
  public void park(CursorKey cursor, String reason) {
    StreamRules.checkCursor(cursor);
    calls.change("park", Arguments.of("cursor", cursor, "reason", reason), Boolean.class);
  }

  @Override
  public boolean unpark(CursorKey cursor, boolean isSkippingHead) {
    StreamRules.checkCursor(cursor);
    return Boolean.TRUE.equals(
        calls.change(
            "unpark", Arguments.of("cursor", cursor, "flag", isSkippingHead), Boolean.class));
  }

  @Override
  public boolean revoke(CursorKey cursor, @Nullable Long fence) {
    StreamRules.checkCursor(cursor);
    return Boolean.TRUE.equals(
        calls.change("revoke", Arguments.of("cursor", cursor, "fence", fence), Boolean.class));
  }
}
