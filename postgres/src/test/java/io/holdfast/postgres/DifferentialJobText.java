package io.holdfast.postgres;

import io.holdfast.job.Extended;
import io.holdfast.job.Job;
import io.holdfast.job.JobException;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Writes down everything that an answer says, with names in place of ids and tokens. */
record DifferentialJobText(DifferentialJobSide side) {
  String of(@Nullable Object value) {
    if (value instanceof String text) {
      return side.named(text);
    } else if (value instanceof byte[] bytes) {
      return "'" + new String(bytes, StandardCharsets.UTF_8) + "'";
    } else if (value instanceof Optional<?> maybe) {
      return maybe.map(it -> "some " + of(it)).orElse("nothing");
    } else if (value instanceof List<?> list) {
      return list.stream().map(this::of).toList().toString();
    } else if (value instanceof Set<?> set) {
      Set<String> sorted = new TreeSet<>();
      set.forEach(each -> sorted.add(of(each)));
      return sorted.toString();
    } else if (value instanceof Map<?, ?> map) {
      Map<String, String> sorted = new TreeMap<>();
      map.forEach((key, each) -> sorted.put(of(key), of(each)));
      return sorted.toString();
    } else if (value instanceof JobException failure) {
      return "failed with " + failure.error() + " " + of(failure.id());
    } else if (value instanceof NewJob draft) {
      return of(draft);
    } else if (value instanceof Record row) {
      return of(row);
    }
    return String.valueOf(value);
  }

  /** What counts of a schedule's job. */
  private String of(NewJob draft) {
    return List.of(
            draft.type(),
            String.valueOf(draft.queue()),
            of(draft.payload()),
            draft.priority(),
            draft.maxAttempts(),
            draft.timeout(),
            String.valueOf(draft.limitKey()))
        .toString();
  }

  private String of(Record row) {
    if (row instanceof LeasedJob leased) {
      side.learn(leased);
    }
    List<String> parts = new ArrayList<>();
    for (RecordComponent part : row.getClass().getRecordComponents()) {
      parts.add(part.getName() + "=" + part(row, part));
    }
    return row.getClass().getSimpleName() + parts;
  }

  private String part(Record row, RecordComponent part) {
    String name = part.getName();
    if (row instanceof LeasedJob leased && name.equals("token")) {
      return side.tokenName(leased.id(), leased.token());
    } else if (row instanceof Extended extended && name.equals("token")) {
      return side.tokenName(extended.id(), extended.token());
    } else if (row instanceof Job job && name.equals("lease") && job.lease() != null) {
      return job.lease().expiresAt() + " of " + side.owner(job);
    }
    try {
      return of(part.getAccessor().invoke(row));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
