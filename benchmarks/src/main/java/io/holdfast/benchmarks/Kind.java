package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.util.List;

/** The subjects by name. */
enum Kind {
  HOLDFAST("Holdfast", HoldfastSubject::new),
  HAND_WRITTEN("hand-written function pair", HandWrittenSubject::new),
  SYNCGUARD("SyncGuard's protocol", SyncGuardSubject::new),
  SHEDLOCK("ShedLock", ShedLockSubject::new),
  SPRING("JdbcLockRegistry", SpringSubject::new),
  ADVISORY("session advisory lock", AdvisorySubject::new),
  COMMIT("two bare one-row commits", CommitSubject::new);

  /** Those that lock: all but the bare commits. */
  static final List<Kind> LOCKS =
      List.of(HOLDFAST, HAND_WRITTEN, SYNCGUARD, SHEDLOCK, SPRING, ADVISORY);

  @FunctionalInterface
  private interface Opener {
    Subject open(Place place) throws SQLException;
  }

  private final String title;
  private final Opener opener;

  Kind(String title, Opener opener) {
    this.title = title;
    this.opener = opener;
  }

  /** How reports call it. */
  String title() {
    return title;
  }

  Subject open(Place place) throws SQLException {
    return opener.open(place);
  }
}
