package io.holdfast.server.dashboard;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Figures for Prometheus. The first hundred names of a kind, in order, have rows of their own; the
 * rest is summed up as {@code other}, so the number of rows is bounded whatever users create.
 */
final class Gauges {
  static final String OTHER = "other";

  private final MeterRegistry meters;
  private final Map<String, MultiGauge> gauges = new HashMap<>();
  private final Map<Tags, Passed> passed = new HashMap<>();
  private volatile Figures figures = Figures.NOTHING;

  /** How many went by; never goes back. */
  private static final class Passed {
    volatile double count;
  }

  Gauges(MeterRegistry meters) {
    this.meters = meters;
    meters.gauge("holdfast.database.up", this, g -> g.figures.problem() == null ? 1 : 0);
    meters.gauge("holdfast.sample.duration.seconds", this, g -> g.figures.tookMs() / 1e3);
    meters.gauge("holdfast.lock.live", this, g -> g.figures.locks().live());
    meters.gauge("holdfast.lock.waiters", this, g -> g.figures.locks().waiters());
    meters.gauge("holdfast.lock.expired", this, g -> g.figures.locks().expired());
    meters.gauge("holdfast.lock.counters", this, g -> g.figures.locks().counters());
    meters.gauge("holdfast.job.workers", this, g -> g.figures.workers().size());
    meters.gauge(
        "holdfast.job.slots",
        this,
        g -> g.figures.workers().stream().mapToInt(Figures.Worker::slots).sum());
  }

  /** Shows these from now on; who reads the registry does so under its monitor. */
  void show(Figures now) {
    synchronized (meters) {
      figures = now;
      queues(now);
      streams(now);
      jobs(now);
    }
  }

  private void queues(Figures now) {
    Table<Figures.OfQueue> table = new Table<>("queue", now.queues(), Figures.OfQueue::name);
    table.states(
        "holdfast.queue.items",
        Map.of(
            "ready", Figures.OfQueue::ready,
            "leased", Figures.OfQueue::leased,
            "scheduled", Figures.OfQueue::scheduled));
    table.sum("holdfast.queue.dead", Figures.OfQueue::dead);
    table.max("holdfast.queue.oldest.age.seconds", q -> seconds(now, q.oldestAt()));
    table.sum("holdfast.queue.waiters", Figures.OfQueue::waiters);
    table.max("holdfast.queue.paused", q -> q.paused() ? 1 : 0);
    table.passed(
        "holdfast.queue.operations",
        Map.of(
            "produced", Figures.OfQueue::produced,
            "leased", Figures.OfQueue::handedOut,
            "completed", Figures.OfQueue::completed,
            "retried", Figures.OfQueue::retried));
  }

  private void streams(Figures now) {
    Table<Figures.OfStream> table = new Table<>("stream", now.streams(), Figures.OfStream::name);
    table.sum("holdfast.stream.depth", Figures.OfStream::depth);
    table.max("holdfast.stream.oldest.age.seconds", s -> seconds(now, s.oldestAt()));
    table.sum("holdfast.stream.partitions", Figures.OfStream::partitions);
    table.sum("holdfast.stream.leased", Figures.OfStream::leased);
    table.sum("holdfast.stream.stuck", Figures.OfStream::stuck);
    table.sum("holdfast.stream.retrying", Figures.OfStream::retrying);
    table.sum("holdfast.stream.dead", Figures.OfStream::dead);
    table.passed("holdfast.stream.messages", Map.of("pushed", Figures.OfStream::pushed));
    lags(now);
  }

  private void lags(Figures now) {
    Map<Tags, Double> rows = new LinkedHashMap<>();
    for (Figures.OfStream stream : now.streams()) {
      for (Figures.Group group : stream.groups()) {
        Tags own = Tags.of("stream", stream.name(), "group", group.name());
        Tags row = rows.size() < View.NAMES ? own : Tags.of("stream", OTHER, "group", OTHER);
        rows.merge(row, (double) group.lag(), Double::sum);
      }
    }
    register("holdfast.stream.lag", rows);
  }

  private void jobs(Figures now) {
    Table<Figures.OfJobs> table = new Table<>("queue", now.jobs(), Figures.OfJobs::name);
    table.states(
        "holdfast.job.jobs",
        Map.of(
            "ready", Figures.OfJobs::ready,
            "scheduled", Figures.OfJobs::scheduled,
            "gated", Figures.OfJobs::gated,
            "running", Figures.OfJobs::running,
            "done", Figures.OfJobs::done,
            "dead", Figures.OfJobs::dead));
    table.max("holdfast.job.oldest.age.seconds", j -> seconds(now, j.oldestAt()));
    table.sum("holdfast.job.finished.last.minute", Figures.OfJobs::finishedLastMinute);
    table.sum("holdfast.job.died.last.minute", Figures.OfJobs::diedLastMinute);
    table.max("holdfast.job.paused", j -> j.pausedAt() == null ? 0 : 1);
  }

  private static double seconds(Figures now, @Nullable Long since) {
    return History.age(now.at(), since) / 1e3;
  }

  private void register(String name, Map<Tags, Double> rows) {
    List<MultiGauge.Row<?>> all = new ArrayList<>();
    rows.forEach((tags, value) -> all.add(MultiGauge.Row.of(tags, value)));
    gauges.computeIfAbsent(name, n -> MultiGauge.builder(n).register(meters)).register(all, true);
  }

  /** Rows of one kind. */
  private final class Table<T> {
    private final String label;
    private final List<T> all;
    private final Function<T, String> name;

    Table(String label, List<T> all, Function<T, String> name) {
      this.label = label;
      this.all = all;
      this.name = name;
    }

    private Tags tags(int index) {
      return Tags.of(label, index < View.NAMES ? name.apply(all.get(index)) : OTHER);
    }

    void sum(String metric, ToDoubleFunction<T> value) {
      Map<Tags, Double> rows = new LinkedHashMap<>();
      for (int i = 0; i < all.size(); i++) {
        rows.merge(tags(i), value.applyAsDouble(all.get(i)), Double::sum);
      }
      register(metric, rows);
    }

    void max(String metric, ToDoubleFunction<T> value) {
      Map<Tags, Double> rows = new LinkedHashMap<>();
      for (int i = 0; i < all.size(); i++) {
        rows.merge(tags(i), value.applyAsDouble(all.get(i)), Math::max);
      }
      register(metric, rows);
    }

    void states(String metric, Map<String, ToDoubleFunction<T>> states) {
      register(metric, rows("state", states));
    }

    private Map<Tags, Double> rows(String second, Map<String, ToDoubleFunction<T>> values) {
      Map<Tags, Double> rows = new LinkedHashMap<>();
      for (int i = 0; i < all.size(); i++) {
        for (Map.Entry<String, ToDoubleFunction<T>> value : values.entrySet()) {
          Tags tags = tags(i).and(second, value.getKey());
          rows.merge(tags, value.getValue().applyAsDouble(all.get(i)), Double::sum);
        }
      }
      return rows;
    }

    /** Names come and go, but their number stays bounded, so what was counted is kept. */
    void passed(String metric, Map<String, ToDoubleFunction<T>> operations) {
      rows("operation", operations)
          .forEach(
              (tags, value) -> {
                Passed counter = passed.get(tags);
                if (counter == null && passed.size() < 8 * View.NAMES) {
                  counter = new Passed();
                  passed.put(tags, counter);
                  FunctionCounter.builder(metric, counter, c -> c.count)
                      .tags(tags)
                      .register(meters);
                }
                if (counter != null) {
                  counter.count = Math.max(counter.count, value);
                }
              });
    }
  }
}
