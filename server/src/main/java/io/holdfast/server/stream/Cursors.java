package io.holdfast.server.stream;

import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.StreamAdmin;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where groups are, page by page, and how late. */
final class Cursors {
  private static final int PAGE = 1_000;
  private static final int MOST = 20_000;

  private final StreamAdmin admin;

  Cursors(StreamAdmin admin) {
    this.admin = admin;
  }

  /** All cursors of a group in a queue, or with null of all groups; at most 20 000. */
  List<CursorInfo> of(String queue, @Nullable String group) {
    List<CursorInfo> all = new ArrayList<>();
    List<CursorInfo> page = admin.cursors(queue, group, null, PAGE);
    all.addAll(page);
    while (page.size() == PAGE && all.size() < MOST) {
      page = admin.cursors(queue, group, page.get(PAGE - 1).key(), PAGE);
      all.addAll(page);
    }
    return all;
  }

  /** Messages that it has not passed. */
  static long lag(CursorInfo cursor) {
    return Math.max(0, cursor.last() - cursor.committed());
  }

  /** For how long its first message has waited; zero when there is none. */
  static long seconds(CursorInfo cursor, Instant now) {
    Instant oldest = cursor.oldestAt();
    return oldest == null ? 0 : Math.max(0, Duration.between(oldest, now).toSeconds());
  }
}
