package io.holdfast.server.lock;

import io.holdfast.server.NotOverHttp;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockCancellationContract;
import io.holdfast.testkit.lock.LockConcurrencyContract;
import io.holdfast.testkit.lock.LockExpiryContract;
import io.holdfast.testkit.lock.LockFailureContract;
import io.holdfast.testkit.lock.LockGrantContract;
import io.holdfast.testkit.lock.LockHandleContract;
import io.holdfast.testkit.lock.LockLookupContract;
import io.holdfast.testkit.lock.LockLossContract;
import io.holdfast.testkit.lock.LockOperatorContract;
import io.holdfast.testkit.lock.LockRetryContract;
import io.holdfast.testkit.lock.LockSubject;
import io.holdfast.testkit.lock.LockTelemetryContract;
import io.holdfast.testkit.lock.LockValidationContract;
import io.holdfast.testkit.lock.WithLockContract;
import io.holdfast.testkit.lock.beyond.LeasedLockContract;
import io.holdfast.testkit.lock.beyond.LeasedLockWaitingContract;
import io.holdfast.testkit.lock.beyond.LostLockContract;
import io.holdfast.testkit.lock.beyond.LostWorkContract;
import io.holdfast.testkit.lock.beyond.RenewingLockContract;
import io.holdfast.testkit.lock.beyond.UnknownOutcomeContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;

/** Locks in PostgreSQL keep their promises over HTTP. */
@Timeout(120)
class HttpPostgresLockContractTest {
  @Nested
  @NotOverHttp(
      value = {"fences_survive_cleanup"},
      because = "a server shows only live locks, so a client finds nothing to clean up")
  class LockGrant extends LockGrantContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class LockValidation extends LockValidationContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class LockFailure extends LockFailureContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {"an_attempt_after_a_wake_up_is_not_counted"},
      because =
          "a client hears of another's release by waiting at the server, which a store that a test"
              + " wraps does not; see HttpLockWaitTest")
  class LockRetry extends LockRetryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class LockExpiry extends LockExpiryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {"inspect_shows_waiters_in_order", "a_break_wakes_who_waits"},
      because =
          "a client has its ticket and hears of another's break by waiting at the server, which a"
              + " store that a test wraps does not; see HttpLockWaitTest")
  class LockOperator extends LockOperatorContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class LockTelemetry extends LockTelemetryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class LockCancellation extends LockCancellationContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class LockHandle extends LockHandleContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {
        "a_key_is_cleaned_up_at_most_once_per_second",
        "errors_of_cleanup_and_the_callers_token_are_ignored",
        "cleanup_spares_a_lock_taken_meanwhile",
        "at_most_one_cleanup_is_under_way",
        "cleanup_removes_only_rows_expired_for_more_than_2000_ms"
      },
      because = "the server cleans up, not the client")
  class LockLookup extends LockLookupContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class LockConcurrency extends LockConcurrencyContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class WithLock extends WithLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class LockLoss extends LockLossContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class RenewingLock extends RenewingLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class LostLock extends LostLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {"a_waiter_behind_a_lost_grant_is_served_when_that_is_released_without_polling"},
      because =
          "a store that a test wraps cannot wait by itself, and over HTTP there are no tickets")
  class UnknownOutcome extends UnknownOutcomeContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class LostWork extends LostWorkContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  class LeasedLock extends LeasedLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }

  @Nested
  @NotOverHttp(
      value = {
        "lock_waits_for_hours_if_it_has_to",
        "a_timed_try_lock_is_granted_on_release_even_with_the_longest_limit",
        "lock_waits_on_whatever_interrupts_and_keeps_the_flag"
      },
      because =
          "a store that a test wraps cannot wait by itself, and over HTTP there are no tickets")
  class LeasedLockWaiting extends LeasedLockWaitingContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return HttpLockSubject.postgres(time);
    }
  }
}
