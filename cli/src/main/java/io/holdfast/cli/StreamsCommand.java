package io.holdfast.cli;

import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.DeadLetters;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.Position;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamBrowser;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks at streams and changes them. */
@Command(
    name = "streams",
    header = "Streams: list, show, configure, stats, peek, dead, redrive, seek, pause, delete.",
    synopsisSubcommandLabel = "COMMAND")
final class StreamsCommand implements Runnable {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw Work.mistake(spec, "a command is missing");
  }

  @Command(name = "list", header = "List streams by name.")
  int list(
      @Mixin Place place,
      @Option(names = "--after", paramLabel = "STREAM") @Nullable String after,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "100") int limit) {
    return Work.list(
        spec,
        place,
        on -> {
          Listing listing = Listing.of("name", "namespace", "task", "paused", "createdAt");
          for (StreamInfo stream : on.streams().admin().list(after, limit)) {
            listing.add(
                stream.name(),
                stream.labels().namespace(),
                stream.labels().task(),
                paused(stream),
                stream.createdAt());
          }
          return listing;
        });
  }

  private static String paused(StreamInfo stream) {
    boolean push = stream.paused().push();
    return push && stream.paused().pop()
        ? "both"
        : push ? "push" : stream.paused().pop() ? "pop" : "";
  }

  @Command(name = "show", header = "Show how a stream is set up.")
  int show(@Mixin Place place, @Parameters(paramLabel = "STREAM") String name) {
    return Work.show(
        spec,
        place,
        on -> {
          StreamInfo stream = existing(on, name);
          return Listing.of("name", "namespace", "task", "paused", "settings", "createdAt")
              .add(
                  stream.name(),
                  stream.labels().namespace(),
                  stream.labels().task(),
                  paused(stream),
                  settings(stream),
                  stream.createdAt());
        });
  }

  private static StreamInfo existing(Capabilities on, String name) {
    return on.streams()
        .admin()
        .find(name)
        .orElseThrow(
            () ->
                new StreamException(
                    StreamError.QUEUE_NOT_FOUND, "there is no stream " + name, null));
  }

  private static Map<String, Object> settings(StreamInfo stream) {
    Map<String, Object> settings = new LinkedHashMap<>();
    stream.settings().values().forEach((option, value) -> settings.put(option.text(), value));
    return settings;
  }

  @Command(name = "configure", header = "Make a stream, or change the options that are given.")
  int configure(
      @Mixin Place place,
      @Parameters(paramLabel = "STREAM") String name,
      @Option(names = "--option", paramLabel = "NAME=VALUE")
          @Nullable Map<String, String> options) {
    StreamConfig config = StreamConfig.of(name);
    for (Map.Entry<String, String> option :
        (options == null ? Map.<String, String>of() : options).entrySet()) {
      config = config.with(option(option.getKey()), value(option.getValue()));
    }
    StreamConfig wanted = config;
    return Work.change(
        spec,
        place,
        on -> {
          on.streams().configure(wanted);
          return "configured " + name;
        });
  }

  private StreamOption option(String name) {
    return StreamOption.named(name)
        .orElseThrow(() -> Work.mistake(spec, "--option: there is no option " + name));
  }

  private static Object value(String text) {
    if (text.matches("-?\\d{1,18}")) {
      return Long.parseLong(text);
    }
    return text.equals("true") || text.equals("false") ? (Object) text.equals("true") : text;
  }

  @Command(name = "stats", header = "Groups of a stream, and how far behind they are.")
  int stats(@Mixin Place place, @Parameters(paramLabel = "STREAM") String name) {
    return Work.list(
        spec,
        place,
        on -> {
          existing(on, name);
          Listing listing = Listing.of("group", "lag", "abandoned", "lastSeenAt");
          for (GroupInfo group : on.streams().admin().groups(name)) {
            listing.add(group.name(), group.lag(), group.isAbandoned(), group.lastSeenAt());
          }
          return listing;
        });
  }

  @Command(name = "partitions", header = "Where groups are in the partitions of a stream.")
  int partitions(
      @Mixin Place place,
      @Parameters(paramLabel = "STREAM") String name,
      @Option(names = "--group", paramLabel = "GROUP") @Nullable String group,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "100") int limit) {
    return Work.list(
        spec,
        place,
        on -> {
          Listing listing =
              Listing.of("partition", "group", "committed", "last", "leased", "oldestAt");
          for (CursorInfo cursor : on.streams().admin().cursors(name, group, null, limit)) {
            listing.add(
                cursor.key().partition(),
                cursor.key().group(),
                cursor.committed(),
                cursor.last(),
                cursor.leaseId() != null,
                cursor.oldestAt());
          }
          return listing;
        });
  }

  @Command(name = "peek", header = "Look at messages, newest first.")
  int peek(
      @Mixin Place place,
      @Parameters(paramLabel = "STREAM") String name,
      @Option(names = "--partition", paramLabel = "NAME") @Nullable String partition,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "20") int limit) {
    return Work.list(
        spec,
        place,
        on -> {
          Listing listing =
              Listing.of("partition", "offset", "transactionId", "createdAt", "payload");
          MessageQuery query = MessageQuery.of(name).partition(partition);
          StreamBrowser browser = on.streams().browser();
          for (StoredMessage stored :
              first(
                  limit,
                  (StoredMessage last, int n) ->
                      browser.messages(query.after(key(last)).limit(n)))) {
            listing.add(
                stored.message().place().partition(),
                stored.message().place().offset(),
                stored.message().transactionId(),
                stored.message().createdAt(),
                stored.isEncrypted()
                    ? "(encrypted)"
                    : Text.payload(stored.message().payload().bytes(), place.isJson()));
          }
          return listing;
        });
  }

  /** A list that comes page by page, each behind the last of the one before. */
  @FunctionalInterface
  private interface Pages<T> {
    List<T> behind(@Nullable T last, int limit);
  }

  /** Large messages make pages short. */
  private static <T> List<T> first(int limit, Pages<T> pages) {
    List<T> all = new ArrayList<>(pages.behind(null, limit));
    for (int before = 0; all.size() > before && all.size() < limit; ) {
      before = all.size();
      all.addAll(pages.behind(all.get(before - 1), limit - before));
    }
    return all;
  }

  private static @Nullable PageKey key(@Nullable StoredMessage last) {
    return last == null ? null : new PageKey(last.message().createdAt(), last.message().id());
  }

  @Command(name = "dead", header = "List dead letters, newest first.")
  int dead(
      @Mixin Place place,
      @Parameters(paramLabel = "STREAM") String name,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "20") int limit) {
    return Work.list(
        spec,
        place,
        on -> {
          Listing listing = Listing.of("id", "group", "partition", "transactionId", "failure");
          DeadLetterQuery query = DeadLetterQuery.of(name);
          DeadLetters letters = on.streams().deadLetters();
          for (DeadLetter dead :
              first(
                  limit,
                  (DeadLetter last, int n) ->
                      letters.list(query.after(last == null ? null : last.key()).limit(n)))) {
            listing.add(
                dead.id(),
                dead.group(),
                dead.message().place().partition(),
                dead.message().transactionId(),
                failure(dead.failure()));
          }
          return listing;
        });
  }

  private static Map<String, @Nullable Object> failure(DeadLetter.Failure failure) {
    Map<String, @Nullable Object> parts = new LinkedHashMap<>();
    parts.put("reason", failure.reason().text());
    parts.put("error", failure.error());
    parts.put("retryCount", failure.retryCount());
    parts.put("attempt", failure.attempt());
    parts.put("at", failure.at());
    return parts;
  }

  @Command(name = "redrive", header = "Deliver dead letters again to their group.")
  int redrive(
      @Mixin Place place,
      @Parameters(paramLabel = "STREAM") String name,
      @Option(names = "--group", paramLabel = "GROUP") @Nullable String group,
      @Option(names = "--limit", paramLabel = "N", defaultValue = "1000") int limit) {
    return Work.change(
        spec,
        place,
        on ->
            on.streams()
                    .deadLetters()
                    .redrive(DeadLetterQuery.of(name).group(group).limit(limit), Redrive.BACK)
                    .size()
                + " looked at and moved back where possible");
  }

  @Command(name = "seek", header = "Put a group at the begin, the end, or a moment.")
  int seek(
      @Mixin Place place,
      @Parameters(paramLabel = "STREAM", index = "0") String name,
      @Parameters(paramLabel = "GROUP", index = "1") String group,
      @Parameters(paramLabel = "begin|end|INSTANT", index = "2") String to,
      @Option(names = "--partition", paramLabel = "NAME") @Nullable String partition) {
    Position position = position(to);
    return Work.change(
        spec,
        place,
        on -> on.streams().admin().seek(name, group, partition, position) + " partitions moved");
  }

  private Position position(String text) {
    if (text.equals("begin")) {
      return Position.BEGIN;
    }
    if (text.equals("end")) {
      return Position.END;
    }
    try {
      return Position.at(Instant.parse(text));
    } catch (DateTimeException e) {
      throw Work.mistake(spec, "begin, end, or a moment such as 2026-01-31T12:00:00Z");
    }
  }

  @Command(name = "explain", header = "Say why a partition is or is not delivered to a group.")
  int explain(
      @Mixin Place place,
      @Parameters(paramLabel = "STREAM", index = "0") String name,
      @Parameters(paramLabel = "PARTITION", index = "1") String partition,
      @Parameters(paramLabel = "GROUP", index = "2") String group) {
    return Work.show(
        spec,
        place,
        on -> {
          Explanation why = on.streams().browser().explain(new CursorKey(name, partition, group));
          return Listing.of("state", "pending", "until", "detail")
              .add(why.state(), why.pending(), why.until(), why.detail());
        });
  }

  @Command(name = "pause", header = "Deliver nothing; with --push refuse pushes instead.")
  int pause(
      @Mixin Place place,
      @Parameters(paramLabel = "STREAM") String name,
      @Option(names = "--push") boolean push) {
    return Work.change(
        spec,
        place,
        on -> {
          if (push) {
            on.streams().admin().pausePush(name);
          } else {
            on.streams().admin().pausePop(name);
          }
          return "paused " + name;
        });
  }

  @Command(name = "resume", header = "End both pauses.")
  int resume(@Mixin Place place, @Parameters(paramLabel = "STREAM") String name) {
    return Work.change(
        spec,
        place,
        on -> {
          on.streams().admin().resumePush(name);
          on.streams().admin().resumePop(name);
          return "resumed " + name;
        });
  }

  @Command(name = "delete", header = "Delete a stream with everything in it.")
  int delete(@Mixin Place place, @Parameters(paramLabel = "STREAM") String name) {
    return Work.change(
        spec,
        place,
        on -> on.streams().delete(name) ? "deleted " + name : "there was no stream " + name);
  }
}
