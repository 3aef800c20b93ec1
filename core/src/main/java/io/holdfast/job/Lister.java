package io.holdfast.job;

import io.holdfast.lease.StoreCall;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts pages together from the parts of a list. Safe for use by many threads. */
record Lister(JobReader reader, StoreCall call) {
  private static final List<JobReader.Part> ALL =
      List.of(
          JobReader.Part.INFLIGHT,
          JobReader.Part.READY,
          JobReader.Part.DUE,
          JobReader.Part.SCHEDULED,
          JobReader.Part.GATED,
          JobReader.Part.DLQ,
          JobReader.Part.FINISHED);

  static JobPage page(JobReader reader, JobQuery query, StoreCall call) {
    return new Lister(reader, call).list(query);
  }

  /** Refuses a cursor that this list did not give. */
  static void checkCursor(JobQuery query) {
    first(parts(query.state()), cursor(query));
  }

  private static @Nullable JobCursor cursor(JobQuery query) {
    String text = query.cursor();
    return text == null ? null : JobCursor.read(text, query);
  }

  private static int first(List<JobReader.Part> parts, @Nullable JobCursor cursor) {
    int first = cursor == null ? 0 : parts.indexOf(cursor.part());
    if (first < 0 && !parts.isEmpty()) {
      throw new JobException(JobError.INVALID_CURSOR, "cursor is of another list", null);
    }
    return first;
  }

  private JobPage list(JobQuery query) {
    List<JobReader.Part> parts = parts(query.state());
    JobCursor cursor = cursor(query);
    int first = first(parts, cursor);
    if (parts.isEmpty()) {
      return new JobPage(List.of(), null);
    }
    JobReader.Position after = cursor == null ? null : cursor.after();
    List<Job> page = new ArrayList<>();
    for (int i = first; i < parts.size(); i++) {
      JobReader.Part part = parts.get(i);
      if (page.size() == query.limit()) {
        return new JobPage(page, new JobCursor(part, null).text(query));
      }
      JobReader.Answer answer = look(query, part, query.limit() - page.size(), after);
      page.addAll(answer.jobs());
      if (answer.next() != null) {
        return new JobPage(page, new JobCursor(part, answer.next()).text(query));
      }
      after = null;
    }
    return new JobPage(page, null);
  }

  private JobReader.Answer look(
      JobQuery query, JobReader.Part part, int limit, JobReader.@Nullable Position after) {
    JobReader.Request request =
        new JobReader.Request(query.queue(), part, query.type(), limit, after);
    return reader.list(request, call);
  }

  private static List<JobReader.Part> parts(@Nullable String state) {
    if (state == null) {
      return ALL;
    }
    return JobState.of(state).map(Lister::parts).orElse(List.of());
  }

  private static List<JobReader.Part> parts(JobState state) {
    return switch (state) {
      case READY -> List.of(JobReader.Part.READY, JobReader.Part.DUE);
      case SCHEDULED -> List.of(JobReader.Part.SCHEDULED);
      case GATED -> List.of(JobReader.Part.GATED);
      case INFLIGHT -> List.of(JobReader.Part.INFLIGHT);
      case DONE -> List.of(JobReader.Part.SUCCEEDED);
      case CANCELLED -> List.of(JobReader.Part.CANCELLED);
      case DLQ -> List.of(JobReader.Part.DLQ);
    };
  }
}
