package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The callers of one subject, each with keys of its own. Closing it closes the subject too. */
final class Crew implements AutoCloseable {
  /** How many keys a caller goes through, so that no figure depends on one row staying hot. */
  static final int KEYS = 100;

  private final Subject subject;
  private final List<Subject.Caller> callers = new ArrayList<>();
  private final String[][] keys;

  Crew(Subject subject, int size) throws SQLException {
    this.subject = subject;
    this.keys = new String[size][KEYS];
    try {
      for (int i = 0; i < size; i++) {
        callers.add(subject.caller());
        for (int k = 0; k < KEYS; k++) {
          keys[i][k] = "bench:%02d:%03d".formatted(i, k);
        }
      }
    } catch (SQLException | RuntimeException e) {
      close();
      throw e;
    }
  }

  int size() {
    return keys.length;
  }

  Subject.Caller caller(Load.Turn turn) {
    return callers.get(turn.caller());
  }

  String key(Load.Turn turn) {
    return keys[turn.caller()][(int) (turn.number() % KEYS)];
  }

  /** Acquires a caller's next key and releases it; nobody else wants it. */
  void pair(Load.Turn turn) throws Exception {
    acquire(turn);
    caller(turn).release();
  }

  /** Acquires a caller's next key. */
  void acquire(Load.Turn turn) throws Exception {
    if (!caller(turn).tryAcquire(key(turn))) {
      throw new IllegalStateException(subject.getClass().getSimpleName() + " refused a free key");
    }
  }

  @Override
  public void close() throws SQLException {
    try {
      for (Subject.Caller caller : callers) {
        caller.close();
      }
    } finally {
      subject.close();
    }
  }
}
