package io.holdfast.client.job;

import io.holdfast.job.Held;
import io.holdfast.job.JobException;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.lease.StoreCall;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Settles runs over HTTP, one call for each kind of settlement that there is. A call that fails
 * after others had been made leaves the outcome of the whole unknown. Safe for use by many threads.
 */
record Settler(JobVerbs verbs) {
  List<Settled> settle(List<? extends Settlement> items, StoreCall call) {
    Settled[] answers = new Settled[items.size()];
    Round round = new Round(items, answers, call);
    round.send("ack", Settlement.Ack.class, Settler::acks);
    round.send("retry", Settlement.Retry.class, Settler::retries);
    round.send("fail", Settlement.Fail.class, Settler::fails);
    round.send("release", Settlement.Release.class, Settler::releases);
    round.send("progress", Settlement.Report.class, Settler::reports);
    return List.of(answers);
  }

  /** The calls of one settling. */
  private final class Round {
    private final List<? extends Settlement> items;
    private final Settled[] answers;
    private final StoreCall call;
    private boolean isBegun;

    Round(List<? extends Settlement> items, Settled[] answers, StoreCall call) {
      this.items = items;
      this.answers = answers;
      this.call = call;
    }

    <S extends Settlement> void send(String verb, Class<S> kind, Function<List<S>, Object> body) {
      int[] places =
          IntStream.range(0, items.size()).filter(i -> kind.isInstance(items.get(i))).toArray();
      if (places.length == 0) {
        return;
      }
      List<S> some = IntStream.of(places).mapToObj(i -> kind.cast(items.get(i))).toList();
      List<JobWire.JobSettled> results = results(verb, body.apply(some));
      isBegun = true;
      for (int i = 0; i < places.length; i++) {
        answers[places[i]] = settled(results.get(i));
      }
    }

    private List<JobWire.JobSettled> results(String verb, Object body) {
      try {
        return verbs.change(verb, body, JobWire.JobSettleReply.class, call).results();
      } catch (JobException e) {
        throw isBegun ? JobException.unknown(String.valueOf(e.getMessage()), e) : e;
      }
    }
  }

  private static Settled settled(JobWire.JobSettled one) {
    return new Settled(
        one.id(),
        JobFailures.refusal(one.ok(), one.code()),
        JobForms.is(one.repeated()),
        JobForms.is(one.cancelled()),
        JobForms.is(one.cancelRequested()));
  }

  private static JobWire.JobAck acks(List<Settlement.Ack> items) {
    List<JobWire.JobAckItem> all = new ArrayList<>();
    for (Settlement.Ack ack : items) {
      Held held = ack.held();
      all.add(new JobWire.JobAckItem(held.id(), held.token(), null, JobForms.base64(ack.output())));
    }
    return new JobWire.JobAck(all);
  }

  private static JobWire.JobRetry retries(List<Settlement.Retry> items) {
    List<JobWire.JobRetryItem> all = new ArrayList<>();
    for (Settlement.Retry retry : items) {
      all.add(
          new JobWire.JobRetryItem(
              retry.held().id(),
              retry.held().token(),
              retry.runAt(),
              JobForms.millis(retry.delay()),
              null,
              retry.error(),
              retry.attempts(),
              retry.failedAt()));
    }
    return new JobWire.JobRetry(all);
  }

  private static JobWire.JobFail fails(List<Settlement.Fail> items) {
    List<JobWire.JobFailItem> all = new ArrayList<>();
    for (Settlement.Fail fail : items) {
      all.add(
          new JobWire.JobFailItem(
              fail.held().id(), fail.held().token(), fail.reason(), fail.error(), fail.attempts()));
    }
    return new JobWire.JobFail(all);
  }

  private static JobWire.JobRelease releases(List<Settlement.Release> items) {
    List<JobWire.JobReleaseItem> all = new ArrayList<>();
    for (Settlement.Release release : items) {
      Held held = release.held();
      all.add(
          new JobWire.JobReleaseItem(held.id(), held.token(), JobForms.millis(release.delay())));
    }
    return new JobWire.JobRelease(all);
  }

  private static JobWire.JobProgress reports(List<Settlement.Report> items) {
    List<JobWire.JobProgressItem> all = new ArrayList<>();
    for (Settlement.Report report : items) {
      all.add(
          new JobWire.JobProgressItem(
              report.held().id(),
              report.held().token(),
              report.percent(),
              report.note(),
              JobForms.base64(report.checkpoint())));
    }
    return new JobWire.JobProgress(all);
  }
}
