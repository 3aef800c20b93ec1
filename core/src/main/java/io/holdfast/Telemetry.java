package io.holdfast;

import java.util.List;
import java.util.Map;

/** What a store counts about itself, for whoever shows it. Safe for use by many threads. */
@FunctionalInterface
public interface Telemetry {
  /**
   * One number.
   *
   * @param name in words with dots between them
   * @param labels what it is about; there are few of them
   * @param isTotal whether it only grows
   */
  record Figure(String name, Map<String, String> labels, double value, boolean isTotal) {
    /** How much there is now. */
    public static Figure now(String name, Map<String, String> labels, double value) {
      return new Figure(name, labels, value, false);
    }

    /** How much there has been. */
    public static Figure total(String name, Map<String, String> labels, double value) {
      return new Figure(name, labels, value, true);
    }
  }

  /** Everything, as it is now. */
  List<Figure> figures();

  /** Of a store that counts nothing. */
  static Telemetry none() {
    return List::of;
  }
}
