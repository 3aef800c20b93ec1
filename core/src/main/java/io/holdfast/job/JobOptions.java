package io.holdfast.job;

import java.time.Duration;

/**
 * How {@link Jobs} behave. Start from {@link #DEFAULTS} and change what differs.
 *
 * @param defaultQueue where jobs go that name no queue
 * @param maxPayload the largest payload in bytes, up to 64 MiB
 * @param isFusing whether concurrent small calls share a statement
 * @param hasDuties whether this process fires schedules, admits and cleans up
 * @param grace how long closing waits for calls under way
 * @param isStepped whether a test steps duties and workers by hand instead of threads
 */
public record JobOptions(
    String defaultQueue,
    int maxPayload,
    boolean isFusing,
    boolean hasDuties,
    Duration grace,
    boolean isStepped) {
  /** The settings that suit most. */
  public static final JobOptions DEFAULTS =
      new JobOptions("default", 1 << 20, true, true, Duration.ofSeconds(10), false);

  /** With another default queue. */
  public JobOptions withDefaultQueue(String value) {
    return new JobOptions(value, maxPayload, isFusing, hasDuties, grace, isStepped);
  }

  /** With another limit of payloads. */
  public JobOptions withMaxPayload(int value) {
    return new JobOptions(defaultQueue, value, isFusing, hasDuties, grace, isStepped);
  }

  /** With or without statements that serve several calls. */
  public JobOptions withFusing(boolean value) {
    return new JobOptions(defaultQueue, maxPayload, value, hasDuties, grace, isStepped);
  }

  /** With or without background duties in this process. */
  public JobOptions withDuties(boolean value) {
    return new JobOptions(defaultQueue, maxPayload, isFusing, value, grace, isStepped);
  }

  /** Without threads for duties and workers: a test steps them. */
  public JobOptions stepped() {
    return new JobOptions(defaultQueue, maxPayload, isFusing, hasDuties, grace, true);
  }
}
