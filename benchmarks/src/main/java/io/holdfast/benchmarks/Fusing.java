package io.holdfast.benchmarks;

import io.holdfast.queue.QueueOptions;

/** Whether concurrent calls share statements. */
enum Fusing {
  ON("fused"),
  OFF("a statement per call");

  private final String title;

  Fusing(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  /** A queue whose service does so. */
  BenchQueue create(Place place, String name) {
    QueueOptions options = QueueOptions.DEFAULTS.withFusing(this == ON);
    return BenchQueue.create(
        place, name + "-" + name(), BenchQueue.options(place).withQueues(options));
  }
}
