package io.holdfast.job;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators may ask for. */
final class AdminRules {
  private static final int MAX_DEAD = 10_000;
  private static final long MAX_KEEP_DAYS = 36_500;

  private AdminRules() {}

  static void checkRequeue(List<String> ids, Requeue how) {
    JobRules.checkIds(ids);
    if (how.queue() != null) {
      JobRules.checkQueue(how.queue());
    }
    JobRules.checkInstant("runAt", how.runAt());
  }

  static void checkDead(DeadQuery query) {
    JobRules.checkQueue(query.queue());
    if (query.type() != null) {
      JobRules.checkText("type", query.type(), JobRules.MAX_NAME);
    }
    if (query.reasonPrefix() != null) {
      JobRules.checkText("reasonPrefix", query.reasonPrefix(), JobTexts.MAX_ERROR);
    }
    JobRules.checkInstant("failedBefore", query.failedBefore());
    JobRules.checkInstant("failedAfter", query.failedAfter());
    JobRules.checkLimit("limit", query.limit(), MAX_DEAD);
  }

  /** The change with trimmed keys. */
  static JobQueueConfig checked(JobQueueConfig config) {
    JobRules.checkQueue(config.queue());
    checkKeep("doneKeep", config.doneKeep());
    if (!JobQueueConfig.FOR_EVER.equals(config.deadKeep())) {
      checkKeep("deadKeep", config.deadKeep());
    }
    if (config.deliveryLimit() != null) {
      JobRules.checkRange("deliveryLimit", config.deliveryLimit(), 1, Integer.MAX_VALUE);
    }
    String key = config.defaultLimitKey();
    if (key != null) {
      String trimmed = JobRules.key("defaultLimitKey", key, JobRules.MAX_NAME);
      key = trimmed == null ? "" : trimmed;
    }
    List<JobQueueConfig.KeyLimit> limits =
        config.limits().stream().map(AdminRules::checked).toList();
    return new JobQueueConfig(
        config.queue(), config.doneKeep(), config.deadKeep(), config.deliveryLimit(), key, limits);
  }

  private static JobQueueConfig.KeyLimit checked(JobQueueConfig.KeyLimit limit) {
    String key = JobRules.key("key", limit.key(), JobRules.MAX_NAME);
    if (key == null) {
      throw JobException.invalid("key must not be blank");
    }
    if (limit.maxRunning() != null) {
      JobRules.checkRange("maxRunning", limit.maxRunning(), 1, Integer.MAX_VALUE);
    }
    return new JobQueueConfig.KeyLimit(key, limit.maxRunning());
  }

  private static void checkKeep(String what, @Nullable Duration keep) {
    if (keep != null && (keep.isNegative() || keep.toDays() > MAX_KEEP_DAYS)) {
      throw JobException.invalid(what + " must be from zero to " + MAX_KEEP_DAYS + " days");
    }
  }

  static void checkScheduleName(@Nullable String name) {
    if (name == null || JobTexts.isBlank(name)) {
      throw JobException.invalid("name must not be blank");
    }
    JobRules.checkText("name", name, JobRules.MAX_NAME);
  }

  /** The schedule with its job's queue and keys as they will be stored. */
  static ScheduleSpec checked(ScheduleSpec spec, JobOptions options, JobIds ids) {
    checkScheduleName(spec.name());
    NewJob job = spec.job();
    if (job.id() != null || job.idempotencyKey() != null || job.runAt() != null) {
      throw JobException.invalid("a schedule gives its jobs id, idempotency key and time itself");
    }
    if (job.delay() != null || job.imported() != null || job.traceId() != null) {
      throw JobException.invalid("a schedule's jobs have neither delay nor past nor trace");
    }
    JobRow row = JobRules.rows(List.of(job), options, ids).get(0);
    Cron.parse(spec.cron(), spec.zone());
    return new ScheduleSpec(
        spec.name(),
        job.queue(row.queue()).limitedBy(row.keys().limit()),
        spec.cron(),
        spec.zone(),
        spec.missed(),
        spec.overlap());
  }
}
