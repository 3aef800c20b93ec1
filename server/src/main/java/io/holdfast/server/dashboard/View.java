package io.holdfast.server.dashboard;

import io.holdfast.server.http.Caller;
import io.holdfast.server.http.Json;
import io.holdfast.server.http.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Figures as one kind of caller may see them: only names that its token is for, keys of locks only
 * for administrators, and not more names than a page can show. What needs attention comes first
 * when names have to be left out; they are named without figures then.
 */
final class View {
  static final int NAMES = 100;
  private static final int MORE = 400;

  private final Caller caller;

  View(Caller caller) {
    this.caller = caller;
  }

  /** Callers with the same one see the same. */
  Object key() {
    return List.of(caller.may(Role.ADMIN), caller.prefixes());
  }

  byte[] snapshot(Figures figures) {
    Map<String, Object> shown = new LinkedHashMap<>();
    Map<String, List<String>> more = new LinkedHashMap<>();
    shown.put("at", figures.at());
    shown.put("tookMs", figures.tookMs());
    shown.put("problem", figures.problem());
    shown.put(
        "queues",
        some(
            "queues",
            queues(figures.queues()),
            Figures.OfQueue::name,
            queue -> queue.deadOf().isEmpty() ? queue.dead() : queue.ready(),
            more));
    shown.put(
        "streams",
        some(
            "streams",
            figures.streams(),
            Figures.OfStream::name,
            stream -> stream.stuck() + stream.dead(),
            more));
    shown.put(
        "jobs", some("jobs", figures.jobs(), Figures.OfJobs::name, Figures.OfJobs::dead, more));
    shown.put("workers", workers(figures.workers()));
    shown.put(
        "schedules",
        figures.schedules().stream()
            .filter(schedule -> caller.sees(schedule.queue()))
            .limit(NAMES)
            .toList());
    shown.put("locks", locks(figures.locks()));
    shown.put("more", more);
    return Json.bytes(shown);
  }

  private <T> List<T> some(
      String kind,
      List<T> all,
      Function<T, String> name,
      ToLongFunction<T> trouble,
      Map<String, List<String>> more) {
    List<T> seen = all.stream().filter(one -> caller.sees(name.apply(one))).toList();
    if (seen.size() <= NAMES) {
      return seen;
    }
    List<T> ordered = new ArrayList<>(seen);
    ordered.sort((a, b) -> Long.compare(trouble.applyAsLong(b), trouble.applyAsLong(a)));
    more.put(kind, ordered.stream().skip(NAMES).limit(MORE).map(name).sorted().toList());
    return ordered.subList(0, NAMES);
  }

  private List<Figures.Worker> workers(List<Figures.Worker> all) {
    return all.stream()
        .filter(worker -> !caller.isRestricted() || worker.queues().stream().anyMatch(caller::sees))
        .limit(NAMES)
        .map(worker -> worker.serving(worker.queues().stream().filter(caller::sees).toList()))
        .toList();
  }

  private List<Figures.OfQueue> queues(List<Figures.OfQueue> all) {
    return caller.isRestricted()
        ? all.stream()
            .map(q -> q.related(q.dead(), q.deadOf().stream().filter(caller::sees).toList()))
            .toList()
        : all;
  }

  private Figures.OfLocks locks(Figures.OfLocks all) {
    List<Figures.Holder> holders =
        all.holders().stream()
            .filter(holder -> holder.key() != null && caller.sees(holder.key()))
            .map(this::hidden)
            .toList();
    return caller.isRestricted()
        ? new Figures.OfLocks(holders.size(), 0, 0, 0, holders)
        : new Figures.OfLocks(all.live(), all.expired(), all.counters(), all.waiters(), holders);
  }

  private Figures.Holder hidden(Figures.Holder holder) {
    return caller.may(Role.ADMIN)
        ? holder
        : new Figures.Holder(
            null, holder.keyHash(), holder.fence(), holder.acquiredAt(), holder.expiresAt());
  }

  /** The past, thinned out when there are many names. */
  byte[] history(List<History.Point> points) {
    int names = points.isEmpty() ? 0 : points.get(points.size() - 1).values().size();
    int step = names > NAMES / 2 ? 5 : names > NAMES / 5 ? 3 : 1;
    List<Map<String, Object>> shown = new ArrayList<>();
    for (int i = points.size() - 1; i >= 0; i -= step) {
      Map<String, long[]> values = new LinkedHashMap<>();
      points
          .get(i)
          .values()
          .forEach(
              (key, value) -> {
                if (caller.sees(key.name())
                    && values.size() < 4 * NAMES
                    && (key.kind() != 'l' || !caller.isRestricted())) {
                  values.put(key.text(), value);
                }
              });
      shown.add(0, Map.of("at", points.get(i).at(), "values", values));
    }
    return Json.bytes(Map.of("points", shown));
  }
}
