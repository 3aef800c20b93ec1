package io.holdfast.server.stream;

import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Role;
import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.PartitionInfo;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.Streams;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Queues and how full they are. */
final class ResourceEndpoints {
  private static final int PAGE = 1_000;
  private static final int MOST_PARTITIONS = 10_000;

  private final Streams streams;
  private final Queues queues;
  private final Overview overview;

  ResourceEndpoints(Streams streams) {
    this.streams = streams;
    this.queues = new Queues(streams);
    this.overview = new Overview(streams, queues);
  }

  void mount(Mount mount) {
    String resources = "/api/v1/resources/";
    mount.work(
        Mount.Place.get(resources + "overview", "Everything in a few figures"),
        Mount.Types.NONE,
        exchange -> Doc.ok(overview.document(exchange.caller())));
    mount.work(
        Mount.Place.get(resources + "queues", "All queues"),
        Mount.Types.NONE,
        exchange -> Doc.ok(Doc.of("queues", list(exchange))));
    mount.work(
        Mount.Place.get(resources + "queues/{queue}", "A queue with its partitions"),
        Mount.Types.NONE,
        exchange -> Doc.ok(one(exchange)));
    mount.work(
        Mount.Place.get(resources + "queues/{queue}/depth", "What waits in a queue")
            .asking("group"),
        Mount.Types.NONE,
        this::depth);
    mount.work(
        Mount.Place.get(resources + "namespaces", "Queues by namespace"),
        Mount.Types.NONE,
        exchange -> labelled(exchange, "namespace", info -> info.labels().namespace()));
    mount.work(
        Mount.Place.get(resources + "tasks", "Queues by task"),
        Mount.Types.NONE,
        exchange -> labelled(exchange, "task", info -> info.labels().task()));
    mountStatus(mount);
  }

  private void mountStatus(Mount mount) {
    mount.work(
        Mount.Place.get("/api/v1/status/queues", "All queues, page by page")
            .asking("limit", "offset"),
        Mount.Types.NONE,
        this::page);
    mount.work(
        Mount.Place.get("/api/v1/status/queues/{queue}", "A queue with its options"),
        Mount.Types.NONE,
        this::status);
    mount.work(
        Mount.Place.get("/api/v1/status/buffers", "What is held back"),
        Mount.Types.NONE,
        exchange ->
            Doc.ok(
                Doc.of(
                    "pending",
                    queues.held(exchange.caller()),
                    "failed",
                    0,
                    "dbHealthy",
                    true,
                    "worker",
                    0)));
    mount.work(
        Mount.Place.post("/api/v1/stats/refresh", Role.ADMIN, "Nothing: figures are always fresh"),
        Mount.Types.NONE,
        exchange -> Doc.ok(Map.of()));
  }

  private List<Map<String, Object>> list(Exchange exchange) {
    Figures figures = Figures.of(streams, null);
    return queues.seen(exchange.caller()).stream().map(info -> queue(info, figures)).toList();
  }

  private static Map<String, Object> queue(StreamInfo info, Figures figures) {
    Figures.Counts counts = figures.of(info.name());
    return Doc.of(
        "id", info.uid(),
        "name", info.name(),
        "namespace", info.labels().namespace(),
        "task", info.labels().task(),
        "createdAt", WireTexts.millis(info.createdAt()),
        "partitions", counts.partitions(),
        "messages",
            Doc.of(
                "total", counts.total(),
                "pending", counts.waiting(),
                "processing", counts.processing()));
  }

  private Map<String, Object> one(Exchange exchange) {
    String name = exchange.parameter("queue");
    exchange.caller().require(name);
    StreamInfo info = queues.get(name);
    Figures figures = Figures.of(streams, name);
    return Doc.with(
        queue(info, figures),
        "partitions",
        partitions(name),
        "totals",
        figures.of(name).document(),
        "options",
        Options.of(info.settings()),
        "paused",
        PauseEndpoints.pauses(info.paused()));
  }

  private List<Map<String, Object>> partitions(String queue) {
    PartitionFigures figures = new PartitionFigures(streams, queue);
    List<Map<String, Object>> all = new ArrayList<>();
    List<PartitionInfo> page = streams.browser().partitions(queue, null, PAGE);
    while (!page.isEmpty() && all.size() < MOST_PARTITIONS) {
      page.forEach(partition -> all.add(figures.document(partition)));
      page =
          page.size() < PAGE
              ? List.of()
              : streams.browser().partitions(queue, page.get(PAGE - 1).name(), PAGE);
    }
    return all;
  }

  private Answer depth(Exchange exchange) {
    String queue = exchange.parameter("queue");
    exchange.caller().require(queue);
    queues.get(queue);
    String group = Asked.text(exchange, "group");
    List<Map<String, Object>> partitions = new ArrayList<>();
    long pending = 0;
    if (isReading(queue, Asked.group(group))) {
      for (CursorInfo cursor : new Cursors(streams.admin()).of(queue, Asked.group(group))) {
        if (Cursors.lag(cursor) > 0) {
          partitions.add(waiting(cursor.key().partition(), Cursors.lag(cursor)));
          pending += Cursors.lag(cursor);
        }
      }
    } else {
      for (PartitionInfo partition : streams.browser().partitions(queue, null, MOST_PARTITIONS)) {
        if (partition.offsets().retained() > 0) {
          partitions.add(waiting(partition.name(), partition.offsets().retained()));
          pending += partition.offsets().retained();
        }
      }
    }
    return Doc.ok(
        Doc.of(
            "queue", queue,
            "group", group == null ? PopRequest.QUEUE_MODE : group,
            "pending", pending,
            "partitionsPending", partitions.size(),
            "effectivePending", pending,
            "partitions", partitions));
  }

  private boolean isReading(String queue, String group) {
    return streams.admin().groups(queue).stream().anyMatch(info -> info.name().equals(group));
  }

  private static Map<String, Object> waiting(String partition, long pending) {
    return Doc.of("partition", partition, "pending", pending);
  }

  /** What queues with one label have together. */
  private static final class Sum {
    long queues;
    long partitions;
    long total;
    long pending;
  }

  private Answer labelled(
      Exchange exchange, String what, Function<StreamInfo, @Nullable String> label) {
    Figures figures = Figures.of(streams, null);
    Map<String, Sum> sums = new TreeMap<>();
    for (StreamInfo info : queues.seen(exchange.caller())) {
      String text = label.apply(info);
      if (text == null || text.isEmpty()) {
        continue;
      }
      Figures.Counts counts = figures.of(info.name());
      Sum sum = sums.computeIfAbsent(text, t -> new Sum());
      sum.queues++;
      sum.partitions += counts.partitions();
      sum.total += counts.total();
      sum.pending += counts.waiting();
    }
    List<Map<String, Object>> rows = new ArrayList<>();
    sums.forEach(
        (text, sum) ->
            rows.add(
                Doc.of(
                    what,
                    text,
                    "queues",
                    sum.queues,
                    "partitions",
                    sum.partitions,
                    "messages",
                    Doc.of("total", sum.total, "pending", sum.pending))));
    return Doc.ok(Doc.of(what + "s", rows));
  }

  private Answer page(Exchange exchange) {
    long limit = Asked.number(exchange, "limit", 100, 1, PAGE);
    long offset = Asked.number(exchange, "offset", 0, 0, Integer.MAX_VALUE);
    List<Map<String, Object>> all = list(exchange);
    return Doc.ok(
        Doc.of(
            "queues", Doc.cut(all, offset, limit),
            "pagination", Doc.with(Doc.page(limit, offset), "total", all.size())));
  }

  private Answer status(Exchange exchange) {
    Map<String, Object> document = one(exchange);
    Map<String, Object> queue = Doc.with(document, "config", document.get("options"));
    List.of("partitions", "totals", "options", "paused").forEach(queue::remove);
    return Doc.ok(
        Doc.of(
            "queue", queue,
            "partitions", document.get("partitions"),
            "totals", document.get("totals")));
  }
}
