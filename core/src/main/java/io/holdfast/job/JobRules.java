package io.holdfast.job;

import io.holdfast.lease.Texts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What callers may ask for. Checks come in the order in which the arguments are documented. */
public final class JobRules {
  /** Bytes of payloads and checkpoints in one answer to a reserve, unless it is a single job. */
  public static final long MAX_ANSWER = 16L << 20;

  static final int MAX_NAME = 255;
  static final int MAX_KEY = 1024;
  static final int MAX_TRACE = 64;
  static final int MAX_OUTPUT = 64 * 1024;
  static final int MAX_NOTE = 1024;
  static final int MAX_BATCH = 10_000;
  static final int MAX_ITEMS = 1_000;
  static final int MAX_QUEUES = 64;
  static final int MAX_PAGE = 500;
  static final Duration MAX_LEASE = Duration.ofHours(24);

  private static final int MAX_PRIORITY = 100;
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant END = Instant.parse("9999-01-01T00:00:00Z");

  private JobRules() {}

  /** The first check of every call. */
  public static void checkThread() {
    if (Thread.currentThread().isInterrupted()) {
      throw new JobException(JobError.ABORTED, "the calling thread is interrupted", null);
    }
  }

  private static JobException failure(JobError error, String message) {
    return new JobException(error, message, null);
  }

  static void checkText(String what, String text, int max) {
    if (!Texts.isStorable(text)) {
      throw JobException.invalid(what + " must be text without U+0000 and half surrogates");
    }
    if (text.length() > max || JobTexts.bytes(text) > max) {
      throw JobException.invalid(what + " must not be longer than " + max + " bytes");
    }
  }

  private static void checkGiven(JobError missing, String what, @Nullable String text) {
    if (text == null || JobTexts.isBlank(text)) {
      throw failure(missing, what + " must not be blank");
    }
  }

  static void checkQueue(String queue) {
    checkGiven(JobError.QUEUE_REQUIRED, "queue", queue);
    checkText("queue", queue, MAX_NAME);
  }

  /** An id of a job that is looked for. */
  static void checkId(String id) {
    checkGiven(JobError.JOB_ID_REQUIRED, "id", id);
    if (!Texts.isStorable(id)) {
      throw JobException.invalid("id must be text without U+0000 and half surrogates");
    }
  }

  /** The ids of one call. */
  public static void checkIds(List<String> ids) {
    checkCount("ids", ids.size(), MAX_ITEMS);
    ids.forEach(JobRules::checkId);
  }

  private static void checkCount(String what, int count, int max) {
    if (count < 1 || count > max) {
      throw JobException.invalid(what + " must be 1 to " + max + ", not " + count);
    }
  }

  static void checkRange(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw JobException.invalid(what + " must be from " + min + " to " + max + ", not " + value);
    }
  }

  static void checkInstant(String what, @Nullable Instant at) {
    if (at != null && (at.isBefore(FIRST) || !at.isBefore(END))) {
      throw JobException.invalid(what + " must be in the years 1 to 9998");
    }
  }

  /** A time to wait; the end of it must be in the years that can be stored. */
  static void checkDelay(String what, @Nullable Duration delay) {
    if (delay != null && (delay.isNegative() || delay.toDays() > 3_650_000 / 2)) {
      throw JobException.invalid(what + " must be from zero to 5,000 years");
    }
  }

  private static void checkWhen(@Nullable Instant runAt, @Nullable Duration delay) {
    checkInstant("runAt", runAt);
    checkDelay("delay", delay);
    if (runAt != null && delay != null) {
      throw JobException.invalid("runAt and delay are two forms of one thing: give one");
    }
  }

  /** The rows of an enqueue, checked and completed. */
  public static List<JobRow> rows(List<NewJob> jobs, JobOptions options, JobIds ids) {
    checkCount("jobs", jobs.size(), MAX_BATCH);
    List<JobRow> rows = new ArrayList<>(jobs.size());
    for (NewJob job : jobs) {
      rows.add(row(job, options, ids));
    }
    return rows;
  }

  private static JobRow row(NewJob job, JobOptions options, JobIds ids) {
    String id = job.id() == null ? ids.next() : job.id();
    String queue = job.queue() == null ? options.defaultQueue() : job.queue();
    checkGiven(JobError.JOB_ID_REQUIRED, "id", id);
    checkGiven(JobError.JOB_TYPE_REQUIRED, "type", job.type());
    checkGiven(JobError.QUEUE_REQUIRED, "queue", queue);
    checkNumbers(job);
    checkText("id", id, MAX_NAME);
    checkText("type", job.type(), MAX_NAME);
    checkText("queue", queue, MAX_NAME);
    if (job.payloadSize() > options.maxPayload()) {
      throw failure(
          JobError.PAYLOAD_TOO_LARGE,
          "payload must not be larger than " + options.maxPayload() + " bytes");
    }
    checkWhen(job.runAt(), job.delay());
    checkRange("priority", job.priority(), -MAX_PRIORITY, MAX_PRIORITY);
    JobSpec.Keys keys =
        new JobSpec.Keys(
            key("idempotencyKey", job.idempotencyKey(), MAX_KEY),
            key("limitKey", job.limitKey(), MAX_NAME),
            key("traceId", job.traceId(), MAX_TRACE));
    return new JobRow(id, queue, keys, clean(job));
  }

  /** With a past whose error can be stored. */
  private static NewJob clean(NewJob job) {
    NewJob.Import past = job.imported();
    return past == null
        ? job
        : job.imported(
            new NewJob.Import(
                past.attempts(),
                JobTexts.error(past.lastError()),
                past.failedAt(),
                past.createdAt()));
  }

  private static void checkNumbers(NewJob job) {
    if (job.timeout().isNegative()) {
      throw failure(JobError.NEGATIVE_TIMEOUT, "timeout must not be negative");
    }
    NewJob.Import imported = job.imported();
    int attempts = imported == null ? 0 : imported.attempts();
    if (attempts < 0) {
      throw failure(JobError.NEGATIVE_ATTEMPTS, "attempts must not be negative");
    }
    if (job.maxAttempts() < 0) {
      throw failure(JobError.NEGATIVE_MAX_ATTEMPTS, "maxAttempts must not be negative");
    }
    if (job.maxAttempts() > 0 && attempts > job.maxAttempts()) {
      throw failure(
          JobError.ATTEMPTS_EXCEED_MAX_ATTEMPTS, "attempts must not be above maxAttempts");
    }
    try {
      job.timeout().toNanos();
    } catch (ArithmeticException e) {
      throw JobException.invalid("timeout must be below 2^63 nanoseconds");
    }
    if (imported != null) {
      checkInstant("failedAt", imported.failedAt());
      checkInstant("createdAt", imported.createdAt());
    }
  }

  /** A key without white space around it; blank ones are none. */
  static @Nullable String key(String what, @Nullable String key, int max) {
    String trimmed = JobTexts.trimmed(key);
    if (trimmed != null) {
      checkText(what, trimmed, max);
    }
    return trimmed;
  }

  /** A lease of a job. */
  static void checkLease(@Nullable Duration lease) {
    if (lease == null
        || lease.isNegative()
        || lease.compareTo(MAX_LEASE) > 0
        || lease.toNanos() < 1_000) {
      throw failure(
          JobError.INVALID_LEASE_DURATION, "leaseFor must be from a microsecond to 24 hours");
    }
  }

  static void checkReserve(ReserveRequest request) {
    checkLease(request.leaseFor());
    checkCount("queues", request.queues().size(), MAX_QUEUES);
    Set<String> names = new HashSet<>();
    for (ReserveRequest.Share share : request.queues()) {
      checkQueue(share.queue());
      if (!names.add(share.queue())) {
        throw JobException.invalid("queue '" + share.queue() + "' is named twice");
      }
    }
    checkLimit("limit", request.limit(), MAX_ITEMS);
    request.queues().forEach(share -> checkLimit("max", share.max(), MAX_ITEMS));
    if (request.worker() != null) {
      checkText("worker", request.worker(), MAX_NAME);
    }
  }

  static void checkLimit(String what, int limit, int max) {
    if (limit < 1 || limit > max) {
      throw failure(JobError.INVALID_LIMIT, what + " must be 1 to " + max + ", not " + limit);
    }
  }

  static void checkHeld(List<Held> items) {
    checkCount("items", items.size(), MAX_ITEMS);
    items.forEach(JobRules::checkHeld);
  }

  static void checkHeartbeat(JobStore.Heartbeat heartbeat) {
    checkLease(heartbeat.leaseFor());
    checkRange("items", heartbeat.held().size(), 0, MAX_ITEMS);
    heartbeat.held().forEach(JobRules::checkHeld);
    WorkerInfo worker = heartbeat.worker();
    if (worker != null) {
      checkGiven(JobError.INVALID_ARGUMENT, "worker", worker.id());
      checkText("worker", worker.id(), MAX_NAME);
      checkText("host", worker.host(), MAX_NAME);
      checkRange("queues", worker.queues().size(), 0, MAX_ITEMS);
      checkRange("types", worker.types().size(), 0, MAX_ITEMS);
      worker.queues().forEach(queue -> checkText("queues", queue, MAX_NAME));
      worker.types().forEach(type -> checkText("types", type, MAX_NAME));
      checkRange("slots", worker.slots(), 0, Integer.MAX_VALUE);
    }
  }

  /** A blank id or token is refused by the store as that of no run. */
  private static void checkHeld(Held held) {
    if (!Texts.isStorable(held.id()) || !Texts.isStorable(held.token())) {
      throw JobException.invalid("id and token must be without U+0000 and half surrogates");
    }
  }

  /** The items of a settling, checked, with texts that can be stored. */
  public static List<Settlement> settlements(List<? extends Settlement> items) {
    checkCount("items", items.size(), MAX_ITEMS);
    List<Settlement> clean = new ArrayList<>(items.size());
    for (Settlement item : items) {
      checkHeld(item.held());
      clean.add(clean(item));
    }
    return clean;
  }

  private static Settlement clean(Settlement item) {
    if (item instanceof Settlement.Ack ack) {
      checkBytes("output", ack.output(), MAX_OUTPUT);
      return ack;
    }
    if (item instanceof Settlement.Retry retry) {
      checkWhen(retry.runAt(), retry.delay());
      checkAttempts(retry.attempts());
      checkInstant("failedAt", retry.failedAt());
      return new Settlement.Retry(
          retry.held(),
          retry.runAt(),
          retry.delay(),
          JobTexts.error(retry.error()),
          retry.attempts(),
          retry.failedAt());
    }
    if (item instanceof Settlement.Fail fail) {
      checkAttempts(fail.attempts());
      String reason =
          fail.reason() == null || JobTexts.isBlank(fail.reason()) ? "failed" : fail.reason();
      String error = fail.error() == null ? reason : fail.error();
      return new Settlement.Fail(
          fail.held(), JobTexts.error(reason), JobTexts.error(error), fail.attempts());
    }
    if (item instanceof Settlement.Release release) {
      checkDelay("delay", release.delay());
      return release;
    }
    checkReport((Settlement.Report) item);
    return item;
  }

  private static void checkReport(Settlement.Report report) {
    if (report.percent() != null) {
      checkRange("percent", report.percent(), 0, 100);
    }
    if (report.note() != null) {
      checkText("note", report.note(), MAX_NOTE);
    }
    checkBytes("checkpoint", report.checkpoint(), MAX_OUTPUT);
  }

  private static void checkAttempts(@Nullable Integer attempts) {
    if (attempts != null && attempts < 0) {
      throw failure(JobError.NEGATIVE_ATTEMPTS, "attempts must not be negative");
    }
  }

  private static void checkBytes(String what, byte @Nullable [] bytes, int max) {
    if (bytes != null && bytes.length > max) {
      throw JobException.invalid(what + " must not be larger than " + max + " bytes");
    }
  }
}
