package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Collects targets beside what was measured; a figure that is null was not asked for. */
final class Targets {
  private final List<Report.Target> targets = new ArrayList<>();

  List<Report.Target> list() {
    return List.copyOf(targets);
  }

  void atLeast(String id, String measure, double least, @Nullable Spread ratio) {
    String target = ">= " + least;
    add(id, measure, target, measured(ratio), ratio == null ? null : ratio.median() >= least);
  }

  void atMost(String id, String measure, double most, @Nullable Spread ratio) {
    String target = "<= " + most;
    add(id, measure, target, measured(ratio), ratio == null ? null : ratio.median() <= most);
  }

  void add(String id, String measure, String target, String measured, @Nullable Boolean holds) {
    targets.add(new Report.Target(id, measure, target, measured, holds));
  }

  private static String measured(@Nullable Spread ratio) {
    return ratio == null ? "not measured" : show(ratio);
  }

  static String show(Spread ratio) {
    return text("%.2f (%.2f to %.2f)", ratio.median(), ratio.min(), ratio.max());
  }

  /** Numbers look the same everywhere. */
  static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** The name of a constant, as it reads in a sentence. */
  static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
