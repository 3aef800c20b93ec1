package io.holdfast.stream;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a queue shall be. What is not mentioned stays as it is, or gets its default if the queue is
 * new.
 *
 * @param namespace a label; null leaves it
 * @param task a label; null leaves it
 * @param options what changes; a null value is the option's default
 * @param isReplacing whether options that are not mentioned go back to their defaults
 */
public record StreamConfig(
    String queue,
    @Nullable String namespace,
    @Nullable String task,
    Map<StreamOption, @Nullable Object> options,
    boolean isReplacing) {

  /** Keeps a copy. */
  public StreamConfig {
    Map<StreamOption, @Nullable Object> copy = new EnumMap<>(StreamOption.class);
    copy.putAll(options);
    options = Collections.unmodifiableMap(copy);
  }

  /** Makes {@code queue}, or leaves it as it is. */
  public static StreamConfig of(String queue) {
    return new StreamConfig(queue, null, null, Map.of(), false);
  }

  /** With these labels. */
  public StreamConfig labelled(@Nullable String newNamespace, @Nullable String newTask) {
    return new StreamConfig(queue, newNamespace, newTask, options, isReplacing);
  }

  /** With this option; null is its default. */
  public StreamConfig with(StreamOption option, @Nullable Object value) {
    Map<StreamOption, @Nullable Object> more = new EnumMap<>(StreamOption.class);
    more.putAll(options);
    more.put(option, value instanceof Integer number ? Long.valueOf(number) : value);
    return new StreamConfig(queue, namespace, task, more, isReplacing);
  }

  /** With leases of this length, in whole seconds. */
  public StreamConfig leaseFor(Duration lease) {
    return with(StreamOption.LEASE_TIME, lease.toSeconds());
  }

  /** With so many tolerated failures, each redelivered after {@code delay}. */
  public StreamConfig retrying(int limit, Duration delay) {
    return with(StreamOption.RETRY_LIMIT, limit).with(StreamOption.RETRY_DELAY, delay.toMillis());
  }

  /** With room for so many messages. */
  public StreamConfig maxSize(long messages) {
    return with(StreamOption.MAX_SIZE, messages);
  }

  /** With everything that is not mentioned at its default. */
  public StreamConfig replacing() {
    return new StreamConfig(queue, namespace, task, options, true);
  }
}
