package io.holdfast.server;

import io.holdfast.Telemetry;
import io.holdfast.lease.DutyCounts;
import io.holdfast.lease.FusionCounts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;

/**
 * What the store, the duties and fused calls count about themselves, for Prometheus. Used under the
 * monitor of the registry.
 */
final class Vitals {
  private final Telemetry telemetry;
  private final MeterRegistry meters;
  private final Map<Name, Value> values = new HashMap<>();

  private record Name(String name, Map<String, String> labels) {}

  private static final class Value {
    volatile double now;
  }

  Vitals(Telemetry telemetry, MeterRegistry meters) {
    this.telemetry = telemetry;
    this.meters = meters;
  }

  void refresh() {
    telemetry.figures().forEach(this::show);
    for (DutyCounts.Count count : DutyCounts.all()) {
      Map<String, String> label = Map.of("duty", count.duty());
      show(Telemetry.Figure.total("holdfast.duty.steps", label, count.steps()));
      show(Telemetry.Figure.total("holdfast.duty.failures", label, count.failures()));
      show(Telemetry.Figure.total("holdfast.duty.seconds", label, count.nanos() / 1e9));
    }
    for (FusionCounts.Count count : FusionCounts.all()) {
      Map<String, String> label = Map.of("kind", count.kind());
      show(Telemetry.Figure.total("holdfast.fused.statements", label, count.statements()));
      show(Telemetry.Figure.total("holdfast.fused.calls", label, count.calls()));
      show(Telemetry.Figure.total("holdfast.fused.rows", label, count.rows()));
    }
  }

  private void show(Telemetry.Figure figure) {
    Name name = new Name(figure.name(), figure.labels());
    values.computeIfAbsent(name, n -> registered(figure)).now = figure.value();
  }

  private Value registered(Telemetry.Figure figure) {
    Value value = new Value();
    Tags tags = Tags.empty();
    for (Map.Entry<String, String> label : figure.labels().entrySet()) {
      tags = tags.and(label.getKey(), label.getValue());
    }
    if (figure.isTotal()) {
      FunctionCounter.builder(figure.name(), value, v -> v.now).tags(tags).register(meters);
    } else {
      Gauge.builder(figure.name(), value, v -> v.now).tags(tags).register(meters);
    }
    return value;
  }
}
