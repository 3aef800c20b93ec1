package io.holdfast.job;

import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.Optional;

/** Looks at jobs. Arguments have been checked. Safe for use by many threads. */
public interface JobReader {
  /** How many jobs a trace shows. */
  int TRACE_LIMIT = 500;

  /** The job, with its payload if wanted. */
  Optional<Job> find(String id, boolean withPayload, StoreCall call);

  /** A page of a queue. */
  JobPage page(JobQuery query, StoreCall call);

  /** The jobs of a trace, oldest first, at most {@link #TRACE_LIMIT}. */
  List<Job> trace(String traceId, StoreCall call);

  /** Why a job stands where it stands. */
  Optional<Explanation> explain(String id, StoreCall call);
}
