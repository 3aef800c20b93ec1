package io.holdfast.stream;

/** How many partitions of a queue are held by some group now. */
public record Utilization(String queue, long partitions, long leased) {
  /** In percent, from 0 to 100. */
  public double percent() {
    return partitions == 0 ? 0 : 100.0 * leased / partitions;
  }
}
