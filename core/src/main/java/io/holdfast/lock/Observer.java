package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reports calls to the listeners of one view of the locks. Immutable. */
final class Observer {
  private record Audience(LockListener listener, Predicate<LockEvent> includeRaw) {}

  private final List<Audience> audiences;
  private final Time time;

  Observer(Time time) {
    this(List.of(), time);
  }

  private Observer(List<Audience> audiences, Time time) {
    this.audiences = audiences;
    this.time = time;
  }

  Observer and(LockListener listener, Predicate<LockEvent> includeRaw) {
    List<Audience> more = new ArrayList<>(audiences);
    more.add(new Audience(listener, includeRaw));
    return new Observer(List.copyOf(more), time);
  }

  /**
   * Runs {@code call} about {@code subject}, reporting what {@code outcome} makes of its answer.
   */
  <T> T observe(
      LockEvent.Type type,
      Subject subject,
      Supplier<T> call,
      Function<T, LockEvent.Outcome> outcome) {
    if (audiences.isEmpty()) {
      return call.get();
    }
    long startNanos = time.nanos();
    LockEvent.Outcome ended = LockEvent.Outcome.error(ErrorCode.INTERNAL);
    try {
      T answer = call.get();
      ended = outcome.apply(answer);
      return answer;
    } catch (LockException e) {
      ended = LockEvent.Outcome.error(e.code());
      throw e;
    } finally {
      report(type, ended, subject, time.nanos() - startNanos);
    }
  }

  void report(LockEvent.Type type, LockEvent.Outcome outcome, Subject subject, long nanos) {
    if (audiences.isEmpty()) {
      return;
    }
    String keyHash = subject.key == null ? null : DisplayHash.of(subject.key);
    String idHash = subject.lockId == null ? null : DisplayHash.of(subject.lockId);
    LockEvent event = new LockEvent(type, outcome, keyHash, idHash, nanos, null);
    for (Audience audience : audiences) {
      try {
        audience.listener.observed(shows(audience, event) ? withRaw(event, subject) : event);
      } catch (RuntimeException e) {
        // A listener must not change what it listens to.
      }
    }
  }

  private static boolean shows(Audience audience, LockEvent event) {
    try {
      return audience.includeRaw.test(event);
    } catch (RuntimeException e) {
      return false;
    }
  }

  private static LockEvent withRaw(LockEvent event, Subject subject) {
    LockEvent.Raw raw = new LockEvent.Raw(subject.key, subject.lockId);
    return new LockEvent(
        event.type(), event.outcome(), event.keyHash(), event.lockIdHash(), event.nanos(), raw);
  }

  /** What a call is about; the call fills in what it learns, possibly before it is valid. */
  static final class Subject {
    @Nullable String key;
    @Nullable String lockId;

    static Subject key(@Nullable String key) {
      Subject subject = new Subject();
      subject.key = key;
      return subject;
    }

    static Subject id(@Nullable String lockId) {
      Subject subject = new Subject();
      subject.lockId = lockId;
      return subject;
    }

    static Subject of(LockKey key, LockId id) {
      Subject subject = key(key.text());
      subject.lockId = id.text();
      return subject;
    }
  }
}
