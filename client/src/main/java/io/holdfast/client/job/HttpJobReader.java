package io.holdfast.client.job;

import io.holdfast.job.Explanation;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobPage;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobReader;
import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Looking at jobs as a server shows them. Safe for use by many threads. */
record HttpJobReader(JobVerbs verbs) implements JobReader {
  @Override
  public Optional<Job> find(String id, boolean withPayload, StoreCall call) {
    JobWire.JobInspect body = new JobWire.JobInspect(id, withPayload);
    return ifThere(
        () -> JobForms.job(verbs.look("inspect", body, JobWire.JobReply.class, call).job()));
  }

  private static <T> Optional<T> ifThere(Supplier<T> call) {
    try {
      return Optional.of(call.get());
    } catch (JobException e) {
      if (e.error() == JobError.JOB_NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public JobPage page(JobQuery query, StoreCall call) {
    JobWire.JobList body =
        new JobWire.JobList(
            query.queue(), query.state(), query.type(), query.limit(), query.cursor(), null);
    JobWire.JobListReply reply = verbs.look("list", body, JobWire.JobListReply.class, call);
    return new JobPage(reply.jobs().stream().map(JobForms::job).toList(), reply.nextCursor());
  }

  @Override
  public List<Job> trace(String traceId, StoreCall call) {
    JobWire.JobList body = new JobWire.JobList(null, null, null, null, null, traceId);
    return verbs.look("list", body, JobWire.JobListReply.class, call).jobs().stream()
        .map(JobForms::job)
        .toList();
  }

  @Override
  public Optional<Explanation> explain(String id, StoreCall call) {
    JobWire.JobExplain body = new JobWire.JobExplain(id);
    return ifThere(() -> verbs.look("explain", body, JobWire.JobExplainReply.class, call))
        .map(
            reply ->
                new Explanation(
                    JobForms.state(reply.state()),
                    reply.reasons().stream().map(HttpJobReader::reason).toList()));
  }

  private static Explanation.Reason reason(JobWire.JobReason reason) {
    return new Explanation.Reason(
        Explanation.Code.valueOf(reason.code()),
        reason.text(),
        reason.since(),
        reason.until(),
        reason.holder(),
        reason.action());
  }
}
