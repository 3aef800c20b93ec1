package io.holdfast.job;

import io.holdfast.lease.StoreCall;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts pages together from the parts of a list. Safe for use by many threads. */
record Lister(JobParts reader, StoreCall call) {
  private static final List<JobParts.Part> ALL =
      List.of(
          JobParts.Part.INFLIGHT,
          JobParts.Part.READY,
          JobParts.Part.DUE,
          JobParts.Part.SCHEDULED,
          JobParts.Part.GATED,
          JobParts.Part.DLQ,
          JobParts.Part.FINISHED);

  static JobPage page(JobParts reader, JobQuery query, StoreCall call) {
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

  private static int first(List<JobParts.Part> parts, @Nullable JobCursor cursor) {
    int first = cursor == null ? 0 : parts.indexOf(cursor.part());
    if (first < 0 && !parts.isEmpty()) {
      throw new JobException(JobError.INVALID_CURSOR, "cursor is of another list", null);
    }
    return first;
  }

  private JobPage list(JobQuery query) {
    List<JobParts.Part> parts = parts(query.state());
    JobCursor cursor = cursor(query);
    int first = first(parts, cursor);
    if (parts.isEmpty()) {
      return new JobPage(List.of(), null);
    }
    JobParts.Position after = cursor == null ? null : cursor.after();
    List<Job> page = new ArrayList<>();
    for (int i = first; i < parts.size(); i++) {
      JobParts.Part part = parts.get(i);
      if (page.size() == query.limit()) {
        return new JobPage(page, new JobCursor(part, null).text(query));
      }
      JobParts.Answer answer = look(query, part, query.limit() - page.size(), after);
      page.addAll(answer.jobs());
      if (answer.next() != null) {
        return new JobPage(page, new JobCursor(part, answer.next()).text(query));
      }
      after = null;
    }
    return new JobPage(page, null);
  }

  private JobParts.Answer look(
      JobQuery query, JobParts.Part part, int limit, JobParts.@Nullable Position after) {
    JobParts.Request request =
        new JobParts.Request(query.queue(), part, query.type(), limit, after);
    return reader.list(request, call);
  }

  private static List<JobParts.Part> parts(@Nullable String state) {
    if (state == null) {
      return ALL;
    }
    return JobState.of(state).map(Lister::parts).orElse(List.of());
  }

  private static List<JobParts.Part> parts(JobState state) {
    return switch (state) {
      case READY -> List.of(JobParts.Part.READY, JobParts.Part.DUE);
      case SCHEDULED -> List.of(JobParts.Part.SCHEDULED);
      case GATED -> List.of(JobParts.Part.GATED);
      case INFLIGHT -> List.of(JobParts.Part.INFLIGHT);
      case DONE -> List.of(JobParts.Part.SUCCEEDED);
      case CANCELLED -> List.of(JobParts.Part.CANCELLED);
      case DLQ -> List.of(JobParts.Part.DLQ);
    };
  }
}
