package io.holdfast.server.stream;

import io.holdfast.client.stream.ExactWire;
import io.holdfast.server.http.Caller;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.DeadLetters;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.Position;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.StreamAdmin;
import io.holdfast.stream.StreamBrowser;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.Streams;
import io.holdfast.stream.TimeRange;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Calls of the streams' interface one by one, for the client of ours. */
final class ExactEndpoints {
  private final Streams streams;
  private final Partitions partitions;

  ExactEndpoints(Streams streams, Partitions partitions) {
    this.streams = streams;
    this.partitions = partitions;
  }

  /** What is done with the arguments; its answer may be null. */
  private interface Verb {
    @Nullable Object run(Asker asker, ExactWire.Call call);
  }

  /** Who asks, and whether they may. */
  private final class Asker {
    private final Exchange exchange;

    Asker(Exchange exchange) {
      this.exchange = exchange;
    }

    /** A queue that has to be named. */
    String queue(ExactWire.Call call) {
      return named(need("queue", call.queue()));
    }

    /** A queue; null stands for all, which some may not see. */
    @Nullable String anyQueue(@Nullable String queue) {
      if (queue == null && exchange.caller().isRestricted()) {
        throw Refusal.forbidden("a token for some names has to name the queue");
      }
      return queue == null ? null : named(queue);
    }

    private String named(String queue) {
      exchange.caller().require(queue);
      return queue;
    }

    CursorKey cursor(ExactWire.Call call) {
      CursorKey cursor = need("cursor", call.cursor());
      named(String.valueOf(cursor.queue()));
      return cursor;
    }

    UUID partition(ExactWire.Call call) {
      UUID id = need("partitionId", call.partitionId());
      partitions.require(exchange, id);
      return id;
    }

    List<StreamInfo> seen(@Nullable String after, int limit, Caller.Pages<StreamInfo> pages) {
      return exchange.caller().seen(after, limit, pages, StreamInfo::name);
    }

    <T> List<T> seen(List<T> all, Function<T, String> queue) {
      Caller caller = exchange.caller();
      return all.stream().filter(each -> caller.sees(queue.apply(each))).toList();
    }
  }

  private static <T> T need(String name, @Nullable T value) {
    if (value == null) {
      throw Refusal.malformed(name + " is missing");
    }
    return value;
  }

  private static void checkRange(String name, TimeRange range) {
    if (range.from() != null) {
      StreamRules.checkInstant(name + ".from", range.from());
    }
    if (range.to() != null) {
      StreamRules.checkInstant(name + ".to", range.to());
    }
  }

  private static void checkPage(String name, @Nullable PageKey after) {
    if (after != null) {
      StreamRules.checkInstant(name + ".at", after.at());
      StreamRules.checkId(name + ".id", after.id());
    }
  }

  private static int limit(ExactWire.Call call) {
    return need("limit", call.limit());
  }

  void mount(Mount mount) {
    mountQueues(mount, streams.admin());
    mountGroups(mount, streams.admin());
    mountDeadLetters(mount, streams.deadLetters());
    mountMessages(mount, streams.browser());
    mountFigures(mount, streams.browser());
  }

  private void add(Mount mount, Role role, String verb, Verb run) {
    mount.work(
        new Mount.Place("POST", ExactWire.PATH + verb, role, "Exact: " + verb),
        Mount.Types.of(ExactWire.Call.class, ExactWire.Value.class),
        exchange -> {
          ExactWire.Call call = Asked.body(exchange, ExactWire.Call.class);
          return Doc.ok(new ExactWire.Value<>(run.run(new Asker(exchange), call)));
        });
  }

  private void mountQueues(Mount mount, StreamAdmin admin) {
    add(mount, Role.READ, "find", (by, call) -> admin.find(by.queue(call)).orElse(null));
    add(
        mount,
        Role.READ,
        "list",
        (by, call) -> by.seen(call.after(), limit(call), after -> admin.list(after, limit(call))));
    add(
        mount,
        Role.READ,
        "partitionNames",
        (by, call) -> admin.partitions(by.queue(call), call.after(), limit(call)));
    add(mount, Role.READ, "pausedAll", (by, call) -> admin.pausedAll());
    add(
        mount,
        Role.ADMIN,
        "pausePop",
        (by, call) -> {
          String queue = by.anyQueue(call.queue());
          if (Boolean.TRUE.equals(call.flag())) {
            admin.pausePop(queue);
          } else {
            admin.resumePop(queue);
          }
          return true;
        });
    add(
        mount,
        Role.ADMIN,
        "pausePush",
        (by, call) -> {
          String queue = by.anyQueue(call.queue());
          switch (need("name", call.name())) {
            case "reject" -> admin.pausePush(queue);
            case "hold" -> admin.holdPush(queue);
            case "resume" -> admin.resumePush(queue);
            default -> throw Refusal.malformed("name must be reject, hold or resume");
          }
          return true;
        });
    add(mount, Role.READ, "held", (by, call) -> admin.held(by.anyQueue(call.queue())));
  }

  private void mountGroups(Mount mount, StreamAdmin admin) {
    add(
        mount,
        Role.WORK,
        "seek",
        (by, call) -> {
          Position to = need("position", call.position());
          need("position.kind", to.kind());
          return admin.seek(by.queue(call), need("group", call.group()), call.partition(), to);
        });
    add(
        mount,
        Role.ADMIN,
        "deleteGroup",
        (by, call) ->
            admin.deleteGroup(
                need("group", call.group()),
                by.anyQueue(call.queue()),
                Boolean.TRUE.equals(call.flag())));
    add(
        mount,
        Role.WORK,
        "startGroupAt",
        (by, call) -> {
          by.anyQueue(null);
          return admin.startGroupAt(need("group", call.group()), need("at", call.at()));
        });
    add(
        mount,
        Role.READ,
        "groups",
        (by, call) -> by.seen(admin.groups(call.queue()), group -> group.queue()));
    add(
        mount,
        Role.READ,
        "cursors",
        (by, call) -> admin.cursors(by.queue(call), call.group(), call.cursor(), limit(call)));
    add(
        mount,
        Role.ADMIN,
        "park",
        (by, call) -> {
          admin.park(by.cursor(call), need("reason", call.reason()));
          return true;
        });
    add(
        mount,
        Role.ADMIN,
        "unpark",
        (by, call) -> admin.unpark(by.cursor(call), Boolean.TRUE.equals(call.flag())));
    add(mount, Role.ADMIN, "revoke", (by, call) -> admin.revoke(by.cursor(call), call.fence()));
  }

  private static DeadLetterQuery letters(Asker by, ExactWire.Call call) {
    DeadLetterQuery query = need("letters", call.letters());
    checkRange("letters.failed", need("letters.failed", query.failed()));
    checkPage("letters.after", query.after());
    by.anyQueue(query.queue());
    return query;
  }

  private void mountDeadLetters(Mount mount, DeadLetters dead) {
    add(mount, Role.READ, "deadLetters", (by, call) -> dead.list(letters(by, call)));
    add(mount, Role.READ, "countDeadLetters", (by, call) -> dead.count(letters(by, call)));
    add(
        mount,
        Role.READ,
        "countDeadLettersByPartition",
        (by, call) -> dead.countByPartition(letters(by, call)));
    add(
        mount,
        Role.READ,
        "deadLetter",
        (by, call) -> {
          UUID id = need("id", call.id());
          return dead.get(id)
              .map(
                  letter -> {
                    by.anyQueue(letter.message().place().queue());
                    return letter;
                  })
              .orElse(null);
        });
    add(mount, Role.ADMIN, "purgeDeadLetters", (by, call) -> dead.purge(letters(by, call)));
    add(
        mount,
        Role.ADMIN,
        "redrive",
        (by, call) -> {
          Redrive how = need("redrive", call.redrive());
          if (how.queue() != null) {
            by.anyQueue(how.queue());
          }
          if (call.ids() == null) {
            return dead.redrive(letters(by, call), how);
          }
          for (UUID id : call.ids()) {
            dead.get(need("ids", id))
                .ifPresent(letter -> by.anyQueue(letter.message().place().queue()));
          }
          return dead.redrive(call.ids(), how);
        });
  }

  private void mountMessages(Mount mount, StreamBrowser browser) {
    add(
        mount,
        Role.READ,
        "messages",
        (by, call) -> {
          MessageQuery query = need("messages", call.messages());
          checkRange("messages.created", need("messages.created", query.created()));
          checkPage("messages.after", query.after());
          by.anyQueue(need("messages.queue", query.queue()));
          return browser.messages(query);
        });
    add(
        mount,
        Role.READ,
        "message",
        (by, call) ->
            browser
                .message(by.partition(call), need("transactionId", call.transactionId()))
                .orElse(null));
    add(
        mount,
        Role.READ,
        "findMessages",
        (by, call) -> browser.find(by.queue(call), need("transactionId", call.transactionId())));
    add(
        mount,
        Role.READ,
        "byTrace",
        (by, call) ->
            by.seen(
                browser.byTrace(need("id", call.id())),
                stored -> stored.message().place().queue()));
    add(
        mount,
        Role.ADMIN,
        "deleteMessage",
        (by, call) ->
            browser.delete(by.partition(call), need("transactionId", call.transactionId())));
    add(
        mount,
        Role.WORK,
        "record",
        (by, call) ->
            browser
                .record(
                    by.partition(call),
                    need("transactionId", call.transactionId()),
                    need("note", call.note()))
                .orElse(null));
    add(
        mount,
        Role.READ,
        "traces",
        (by, call) ->
            browser.traces(by.partition(call), need("transactionId", call.transactionId())));
    add(
        mount,
        Role.READ,
        "tracesNamed",
        (by, call) -> {
          by.anyQueue(null);
          return browser.tracesNamed(need("name", call.name()), limit(call));
        });
    add(
        mount,
        Role.READ,
        "traceNames",
        (by, call) -> {
          by.anyQueue(null);
          return browser.traceNames(limit(call));
        });
  }

  private void mountFigures(Mount mount, StreamBrowser browser) {
    add(
        mount,
        Role.READ,
        "ping",
        (by, call) -> {
          streams.ping();
          return true;
        });
    add(
        mount,
        Role.READ,
        "partition",
        (by, call) ->
            call.name() == null
                ? browser.partition(by.partition(call)).orElse(null)
                : browser.partition(by.queue(call), call.name()).orElse(null));
    add(
        mount,
        Role.READ,
        "partitions",
        (by, call) -> browser.partitions(by.queue(call), call.after(), limit(call)));
    add(
        mount,
        Role.READ,
        "figures",
        (by, call) -> by.seen(browser.figures(call.queue()), each -> each.queue()));
    add(mount, Role.READ, "depth", (by, call) -> browser.depth(by.queue(call)));
    add(mount, Role.READ, "depths", (by, call) -> by.seen(browser.depths(), d -> d.queue()));
    add(
        mount,
        Role.READ,
        "leases",
        (by, call) -> by.seen(browser.leases(call.queue()), each -> each.cursor().queue()));
    add(
        mount,
        Role.READ,
        "utilization",
        (by, call) -> by.seen(browser.utilization(call.queue()), each -> each.queue()));
    add(
        mount,
        Role.READ,
        "stuck",
        (by, call) -> by.seen(browser.stuck(call.queue()), each -> each.cursor().queue()));
    add(
        mount,
        Role.READ,
        "dropped",
        (by, call) -> by.seen(browser.dropped(call.queue(), limit(call)), each -> each.queue()));
    add(mount, Role.READ, "explain", (by, call) -> browser.explain(by.cursor(call)));
    add(
        mount,
        Role.READ,
        "tally",
        (by, call) -> browser.tally(by.queue(call), need("group", call.group())));
  }
}
