package io.holdfast.testkit.job;

import io.holdfast.job.JobContext;
import io.holdfast.job.JobHandler;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs, told apart by their texts, that block their threads until the test lets them go or an
 * interrupt ends them. Safe for use by many threads.
 */
final class BlockingHandler implements JobHandler<String> {
  private static final long LIMIT_SECONDS = 60;

  private final List<String> begun = new CopyOnWriteArrayList<>();
  private final List<String> interrupted = new CopyOnWriteArrayList<>();
  private final Map<String, JobContext> contexts = new ConcurrentHashMap<>();
  private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();
  private volatile boolean isStubborn;
  private volatile boolean isObedient;

  @Override
  public @Nullable Object run(String text, JobContext context) throws InterruptedException {
    contexts.put(text, context);
    begun.add(text);
    while (true) {
      try {
        if (!gate(text).await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
          throw new IllegalStateException("a blocked handler was forgotten");
        }
        return text;
      } catch (InterruptedException e) {
        interrupted.add(text);
        if (isObedient) {
          return text;
        }
        if (!isStubborn) {
          throw e;
        }
      }
    }
  }

  /** From now on handlers go on when they are interrupted. */
  void stubborn() {
    isStubborn = true;
  }

  /** From now on handlers return when they are interrupted, as if all was done. */
  void obedient() {
    isObedient = true;
  }

  /** What has begun, in its order. */
  List<String> begun() {
    return begun;
  }

  /** Whose interrupts have been seen. */
  List<String> interrupted() {
    return interrupted;
  }

  /** The latest run of this text. */
  JobContext context(String text) {
    return Objects.requireNonNull(contexts.get(text), "it has not begun");
  }

  private CountDownLatch gate(String text) {
    return gates.computeIfAbsent(text, t -> new CountDownLatch(1));
  }

  /** Lets the runs of this text end, also those to come. */
  void open(String text) {
    gate(text).countDown();
  }

  /** Lets all end that have begun. */
  void openAll() {
    begun.forEach(this::open);
  }
}
