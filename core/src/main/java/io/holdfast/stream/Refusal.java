package io.holdfast.stream;

/** Thrown by a handler to say what else than failed a message is. */
public final class Refusal extends Exception {
  private static final long serialVersionUID = 1L;

  private final Verdict verdict;

  private Refusal(Verdict verdict, String why) {
    super(why);
    this.verdict = verdict;
  }

  /** Not now: it comes again at once, free of charge. */
  public static Refusal retryLater(String why) {
    return new Refusal(Verdict.RETRY, why);
  }

  /** Never: to the dead letters. */
  public static Refusal deadLetter(String why) {
    return new Refusal(Verdict.DEAD_LETTER, why);
  }

  /** Somebody has to look: the partition stops. */
  public static Refusal park(String why) {
    return new Refusal(Verdict.PARK, why);
  }

  /** What the message is. */
  public Verdict verdict() {
    return verdict;
  }
}
