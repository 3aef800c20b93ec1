package io.holdfast.job;

import java.time.Duration;
import java.util.function.Function;

/** The {@link DeadJobs} of a service: chunk after chunk. */
record DeadHandle(JobEngine jobs) implements DeadJobs {
  private static final int CHUNK = 500;

  @Override
  public Bulk requeue(DeadQuery query, boolean isResetting, Duration spread) {
    JobRules.checkThread();
    AdminRules.checkDead(query);
    JobRules.checkDelay("spread", spread);
    return chunks(
        query,
        chunk -> {
          JobAdmin.Revived revived =
              jobs.call(
                  () ->
                      jobs.backend
                          .admin()
                          .requeueDead(chunk, isResetting, spread, jobs.storeCall()));
          jobs.spread(revived.effects());
          return revived.bulk();
        });
  }

  @Override
  public Bulk purge(DeadQuery query) {
    JobRules.checkThread();
    AdminRules.checkDead(query);
    return chunks(
        query, chunk -> jobs.call(() -> jobs.backend.admin().purgeDead(chunk, jobs.storeCall())));
  }

  private static Bulk chunks(DeadQuery query, Function<DeadQuery, Bulk> step) {
    int done = 0;
    Bulk last;
    do {
      last = step.apply(query.limit(Math.min(CHUNK, query.limit() - done)));
      done += last.count();
    } while (last.more() && last.count() > 0 && done < query.limit());
    return new Bulk(done, last.more());
  }
}
