package io.holdfast.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a job whose handler failed. Of the rules whose exception class fits, the most
 * specific one counts. Immutable: each method answers another one.
 *
 * @param maxAttempts how often a job may be run that does not say so itself
 * @param cap bounds what jobs and rules say; 0: it does not
 * @param seed makes the jitter repeatable; null: it is not
 */
public record RetryPolicy(
    Backoff backoff, int maxAttempts, int cap, @Nullable Long seed, List<Rule> rules) {
  /** 25 tries, as {@link Backoff#DEFAULT} says. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(Backoff.DEFAULT, 25, 0, null, List.of());

  /**
   * What becomes of one kind of failure.
   *
   * @param backoff null: the policy's
   * @param maxAttempts 1: no further try; 0: as often as otherwise
   */
  public record Rule(Class<? extends Throwable> kind, @Nullable Backoff backoff, int maxAttempts) {}

  /** What to do next. */
  public sealed interface Verdict {
    /** Try again after this delay. */
    record Retry(Duration delay) implements Verdict {}

    /** Give up. */
    record Dead() implements Verdict {}
  }

  public RetryPolicy {
    if (maxAttempts < 1) {
      throw JobException.invalid("maxAttempts must be at least 1");
    }
    if (cap < 0) {
      throw JobException.invalid("cap must not be negative");
    }
    rules = List.copyOf(rules);
  }

  /** With other delays. */
  public RetryPolicy backoff(Backoff value) {
    return new RetryPolicy(value, maxAttempts, cap, seed, rules);
  }

  /** With another number of tries for jobs that do not say so themselves. */
  public RetryPolicy maxAttempts(int value) {
    return new RetryPolicy(backoff, value, cap, seed, rules);
  }

  /** With a number of tries that nobody exceeds. */
  public RetryPolicy atMost(int value) {
    return new RetryPolicy(backoff, maxAttempts, value, seed, rules);
  }

  /** With repeatable delays. */
  public RetryPolicy seeded(long value) {
    return new RetryPolicy(backoff, maxAttempts, cap, value, rules);
  }

  /** With other delays after this kind of failure. */
  public RetryPolicy on(Class<? extends Throwable> kind, Backoff value) {
    return with(new Rule(kind, value, 0));
  }

  /** With at most so many tries when this kind of failure occurs. */
  public RetryPolicy on(Class<? extends Throwable> kind, Backoff value, int tries) {
    return with(new Rule(kind, value, tries));
  }

  /** With no further try after this kind of failure. */
  public RetryPolicy deadOn(Class<? extends Throwable> kind) {
    return with(new Rule(kind, null, 1));
  }

  private RetryPolicy with(Rule rule) {
    List<Rule> more = new ArrayList<>(rules);
    more.removeIf(known -> known.kind() == rule.kind());
    more.add(rule);
    return new RetryPolicy(backoff, maxAttempts, cap, seed, more);
  }

  /** How often a job may be run that says {@code ofJob}, where 0 says nothing. */
  public int maximum(int ofJob) {
    int wanted = ofJob > 0 ? ofJob : maxAttempts;
    return cap > 0 ? Math.min(cap, wanted) : wanted;
  }

  /** Judges a failure of a job that failed {@code attempts} times before. */
  public Verdict judge(Throwable failure, int attempts, int ofJob, RandomGenerator random) {
    if (isUnrecoverable(failure)) {
      return new Verdict.Dead();
    }
    Rule rule = ruleFor(failure);
    int maximum = maximum(ofJob);
    if (rule != null && rule.maxAttempts() > 0) {
      maximum = Math.min(maximum, rule.maxAttempts());
    }
    if (attempts >= maximum - 1) {
      return new Verdict.Dead();
    }
    Backoff delays = rule == null || rule.backoff() == null ? backoff : rule.backoff();
    return new Verdict.Retry(delays.delay(attempts + 1, random));
  }

  private static boolean isUnrecoverable(Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable e = failure; e != null && seen.add(e); e = e.getCause()) {
      if (e instanceof Unrecoverable) {
        return true;
      }
    }
    return false;
  }

  private @Nullable Rule ruleFor(Throwable failure) {
    for (Class<?> kind = failure.getClass(); kind != Object.class; kind = kind.getSuperclass()) {
      for (Rule rule : rules) {
        if (rule.kind() == kind) {
          return rule;
        }
      }
    }
    return null;
  }
}
