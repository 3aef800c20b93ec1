package io.holdfast.queue;

import java.time.Duration;

/**
 * How {@link Queues} behave. Start from {@link #DEFAULTS} and change what differs.
 *
 * @param maxWaiting hot requests that may wait per queue, parked leases not counted
 * @param fusedRows at most so many rows in one statement that serves several calls
 * @param isFusing whether concurrent small calls share a statement
 * @param poll how often parked leases look by themselves
 * @param grace how long closing waits for calls under way
 * @param isStepped whether a test steps the duties by hand instead of threads
 */
public record QueueOptions(
    int maxWaiting,
    int fusedRows,
    boolean isFusing,
    Duration poll,
    Duration grace,
    boolean isStepped) {

  /** The settings that suit most. */
  public static final QueueOptions DEFAULTS =
      new QueueOptions(1000, 4000, true, Duration.ofSeconds(1), Duration.ofSeconds(10), false);

  /** With another limit of waiting requests. */
  public QueueOptions withMaxWaiting(int value) {
    return new QueueOptions(value, fusedRows, isFusing, poll, grace, isStepped);
  }

  /** With or without statements that serve several calls. */
  public QueueOptions withFusing(boolean value) {
    return new QueueOptions(maxWaiting, fusedRows, value, poll, grace, isStepped);
  }

  /** With another poll interval. */
  public QueueOptions withPoll(Duration value) {
    return new QueueOptions(maxWaiting, fusedRows, isFusing, value, grace, isStepped);
  }

  /** With another patience when closing. */
  public QueueOptions withGrace(Duration value) {
    return new QueueOptions(maxWaiting, fusedRows, isFusing, poll, value, isStepped);
  }

  /** Without threads for duties: a test steps them. */
  public QueueOptions stepped() {
    return new QueueOptions(maxWaiting, fusedRows, isFusing, poll, grace, true);
  }
}
