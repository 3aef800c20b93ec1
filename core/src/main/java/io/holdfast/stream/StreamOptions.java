package io.holdfast.stream;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How {@link Streams} behave. Start from {@link #DEFAULTS} and change what differs.
 *
 * @param isFusing whether concurrent small calls share a statement
 * @param poll how often a group that waits looks by itself
 * @param upkeep how often the background duties run
 * @param partitionIdleDays after how many days without messages an empty partition is removed
 * @param encryptionKey 64 hexadecimal digits; null: queues that want encryption are refused
 * @param grace how long closing waits for calls under way
 * @param isStepped whether a test steps the duties by hand instead of threads
 */
public record StreamOptions(
    boolean isFusing,
    Duration poll,
    Duration upkeep,
    int partitionIdleDays,
    @Nullable String encryptionKey,
    Duration grace,
    boolean isStepped) {
  /** The settings that suit most. */
  public static final StreamOptions DEFAULTS =
      new StreamOptions(
          true,
          Duration.ofSeconds(5),
          Duration.ofSeconds(60),
          30,
          null,
          Duration.ofSeconds(10),
          false);

  /** With or without statements that serve several calls. */
  public StreamOptions withFusing(boolean value) {
    return new StreamOptions(
        value, poll, upkeep, partitionIdleDays, encryptionKey, grace, isStepped);
  }

  /** With another interval of looking. */
  public StreamOptions withPoll(Duration value) {
    return new StreamOptions(
        isFusing, value, upkeep, partitionIdleDays, encryptionKey, grace, isStepped);
  }

  /** With another interval of the duties, at least a second. */
  public StreamOptions withUpkeep(Duration value) {
    return new StreamOptions(
        isFusing, poll, value, partitionIdleDays, encryptionKey, grace, isStepped);
  }

  /** With a key for payloads. */
  public StreamOptions withEncryptionKey(@Nullable String value) {
    return new StreamOptions(isFusing, poll, upkeep, partitionIdleDays, value, grace, isStepped);
  }

  /** Without threads for duties: a test steps them. */
  public StreamOptions stepped() {
    return new StreamOptions(isFusing, poll, upkeep, partitionIdleDays, encryptionKey, grace, true);
  }

  @Override
  public String toString() {
    return "StreamOptions[isFusing=" + isFusing + ", poll=" + poll + ", upkeep=" + upkeep + "]";
  }
}
