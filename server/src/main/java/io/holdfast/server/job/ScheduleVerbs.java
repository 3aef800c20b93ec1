package io.holdfast.server.job;

import io.holdfast.client.job.JobWire;
import io.holdfast.job.Jobs;
import io.holdfast.job.NewJob;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Routes;
import io.holdfast.server.http.WireJson;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Recurring jobs. */
final class ScheduleVerbs {
  private final Jobs jobs;

  ScheduleVerbs(Jobs jobs) {
    this.jobs = jobs;
  }

  void mount(Routes routes) {
    routes.add(
        JobsApi.route("schedules.put", Role.ADMIN, "Makes or replaces a schedule")
            .limit(8L << 20)
            .typed(JobWire.JobSchedulePut.class, JobWire.JobScheduleDocument.class),
        this::put);
    routes.add(
        JobsApi.route("schedules.delete", Role.ADMIN, "Removes a schedule")
            .typed(JobWire.JobScheduleName.class, JobWire.JobNothing.class),
        exchange -> onSchedule(exchange, this::delete));
    routes.add(
        JobsApi.route("schedules.pause", Role.ADMIN, "It fires no more until resumed")
            .typed(JobWire.JobScheduleName.class, JobWire.JobScheduleDocument.class),
        exchange -> onSchedule(exchange, name -> shown(jobs.schedules().pause(name))));
    routes.add(
        JobsApi.route("schedules.resume", Role.ADMIN, "It fires again")
            .typed(JobWire.JobScheduleName.class, JobWire.JobScheduleDocument.class),
        exchange -> onSchedule(exchange, name -> shown(jobs.schedules().resume(name))));
    routes.add(
        JobsApi.route("schedules.trigger", Role.ADMIN, "Enqueues its job now")
            .typed(JobWire.JobScheduleName.class, JobWire.JobTriggeredReply.class),
        exchange -> onSchedule(exchange, this::trigger));
    routes.add(
        JobsApi.route("schedules.list", Role.READ, "All schedules, by name")
            .typed(JobWire.JobNothing.class, JobWire.JobSchedulesReply.class),
        this::list);
  }

  private CompletableFuture<Answer> put(Exchange exchange) {
    JobWire.JobSchedulePut body = WireJson.read(exchange, JobWire.JobSchedulePut.class);
    exchange.caller().require(Fields.or(body.queue(), jobs.defaultQueue()));
    ScheduleSpec spec = spec(body);
    return exchange.blocking(
        () -> {
          checkKnown(exchange, spec.name());
          return shown(jobs.schedules().put(spec));
        });
  }

  private static ScheduleSpec spec(JobWire.JobSchedulePut body) {
    NewJob job =
        NewJob.of(Fields.or(body.type(), ""))
            .queue(body.queue())
            .payload(Fields.content("payload", body.payload(), body.payloadBase64()))
            .priority(Fields.or(body.priority(), 0))
            .maxAttempts(Fields.or(body.maxAttempts(), 0))
            .timeout(Duration.ofNanos(Fields.or(body.timeoutNanos(), 0L)))
            .limitedBy(body.limitKey());
    ScheduleSpec.Missed missed =
        word("missed", body.missed(), ScheduleSpec.Missed.values(), ScheduleSpec.Missed::text);
    ScheduleSpec.Overlap overlap =
        word("overlap", body.overlap(), ScheduleSpec.Overlap.values(), ScheduleSpec.Overlap::text);
    String name = Fields.or(body.name(), "");
    return ScheduleSpec.of(name, Fields.given("cron", body.cron()), job)
        .zone(Fields.or(body.zone(), "UTC"))
        .missed(missed)
        .overlap(overlap);
  }

  /** One of a few words; the first of them unless said otherwise. */
  private static <E> E word(
      String field, @Nullable String given, E[] words, Function<E, String> text) {
    if (given == null) {
      return words[0];
    }
    return Arrays.stream(words)
        .filter(word -> text.apply(word).equals(given))
        .findAny()
        .orElseThrow(
            () ->
                Refusal.malformed(
                    "'"
                        + field
                        + "' must be one of "
                        + Arrays.stream(words).map(text).collect(Collectors.joining(", "))));
  }

  private CompletableFuture<Answer> onSchedule(Exchange exchange, Function<String, Answer> action) {
    String name = Fields.or(WireJson.read(exchange, JobWire.JobScheduleName.class).name(), "");
    return exchange.blocking(
        () -> {
          checkKnown(exchange, name);
          return action.apply(name);
        });
  }

  /** Whoever may use only some queues may not touch the schedules of others. */
  private void checkKnown(Exchange exchange, String name) {
    if (exchange.caller().isRestricted()) {
      jobs.schedules().list().stream()
          .filter(schedule -> schedule.name().equals(name))
          .forEach(schedule -> exchange.caller().require(queue(schedule)));
    }
  }

  private static String queue(Schedule schedule) {
    return String.valueOf(schedule.spec().job().queue());
  }

  private static Answer shown(Schedule schedule) {
    return WireJson.answer(Documents.schedule(schedule));
  }

  private Answer delete(String name) {
    jobs.schedules().delete(name);
    return WireJson.answer(new JobWire.JobNothing());
  }

  private Answer trigger(String name) {
    return WireJson.answer(new JobWire.JobTriggeredReply(jobs.schedules().trigger(name)));
  }

  private CompletableFuture<Answer> list(Exchange exchange) {
    WireJson.read(exchange, JobWire.JobNothing.class);
    return exchange.blocking(
        () ->
            WireJson.answer(
                new JobWire.JobSchedulesReply(
                    jobs.schedules().list().stream()
                        .filter(schedule -> exchange.caller().sees(queue(schedule)))
                        .map(Documents::schedule)
                        .toList())));
  }
}
