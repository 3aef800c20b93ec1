package io.holdfast.stream;

import org.jspecify.annotations.Nullable;

/** Runs users' handlers and turns what they do into verdicts. */
final class Handlers {
  private Handlers() {}

  /** One message after the other; the first that has to come again ends the batch. */
  static ConsumerRuntime.BatchRun each(MessageHandler handler, HeldBatch.Pusher pusher) {
    return (held, consumer) -> {
      for (Delivery delivery : held.batch.deliveries()) {
        if (consumer.isStopped()) {
          consumer.release(held);
          held.settled();
          return;
        }
        HeldBatch.One one = held.new One(delivery, pusher);
        if (!held.isHeld() || !isPassed(held, one, () -> handler.handle(one))) {
          return;
        }
      }
    };
  }

  /** All messages together. */
  static ConsumerRuntime.BatchRun together(BatchHandler handler) {
    return (held, consumer) -> {
      Verdict verdict = Verdict.COMPLETED;
      String why = null;
      try {
        handler.handle(held);
      } catch (Throwable e) {
        verdict = verdict(e);
        why = text(e);
      }
      if (held.isSettled()) {
        return;
      }
      for (Message message : held.messages()) {
        held.judge(message, verdict, why);
        if (verdict != Verdict.COMPLETED && verdict != Verdict.DEAD_LETTER) {
          return; // the head is charged, and all of it comes again
        }
      }
    };
  }

  /** Something that may fail. */
  private interface Work {
    void run() throws Exception;
  }

  /** Whether the next message may follow: this one is completed, or given up. */
  private static boolean isPassed(HeldBatch held, HeldBatch.One one, Work work) {
    try {
      work.run();
    } catch (Throwable e) {
      Verdict verdict = verdict(e);
      held.judge(one.message(), verdict, text(e));
      return verdict == Verdict.DEAD_LETTER;
    }
    if (!one.isMessageSettled()) {
      held.judge(one.message(), Verdict.COMPLETED, null);
    }
    return true;
  }

  private static Verdict verdict(Throwable e) {
    return e instanceof Refusal refusal ? refusal.verdict() : Verdict.FAILED;
  }

  private static @Nullable String text(Throwable e) {
    if (e instanceof Refusal refusal) {
      return refusal.getMessage();
    }
    String text = e.toString();
    return text.length() > 4000 ? text.substring(0, 4000) : text;
  }
}
