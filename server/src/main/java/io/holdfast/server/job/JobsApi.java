package io.holdfast.server.job;

import io.holdfast.job.Jobs;
import io.holdfast.server.http.Api;
import io.holdfast.server.http.HeldTimes;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Route;
import io.holdfast.server.http.Routes;

/** Everything about jobs: {@code POST /v1/jobs.<verb>}. */
public final class JobsApi implements Api {
  private static final String PATH = "/v1/jobs.";

  private final Jobs jobs;
  private final HeldTimes held;

  /** Serves these jobs. */
  public JobsApi(Jobs jobs, HeldTimes held) {
    this.jobs = jobs;
    this.held = held;
  }

  @Override
  public void mount(Routes routes) {
    routes.fallback(PATH, JobDialect.INSTANCE);
    new EnqueueVerbs(jobs).mount(routes);
    new RunVerbs(jobs, held).mount(routes);
    new SettleVerbs(jobs, held).mount(routes);
    new LookVerbs(jobs).mount(routes);
    new OperatorVerbs(jobs).mount(routes);
    new ScheduleVerbs(jobs).mount(routes);
  }

  static Route route(String verb, Role role, String summary) {
    return Route.post(PATH + verb, role, JobDialect.INSTANCE, summary).tagged("jobs");
  }
}
