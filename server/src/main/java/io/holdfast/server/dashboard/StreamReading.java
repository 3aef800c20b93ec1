package io.holdfast.server.dashboard;

import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.Depth;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.QueueFigures;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.Streams;
import io.holdfast.stream.StuckPartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads figures of streams; what all streams share in a call is asked once. */
final class StreamReading {
  private static final int CURSORS = 1000;

  private final Streams streams;

  StreamReading(Streams streams) {
    this.streams = streams;
  }

  /** What was asked for all streams at once, by stream. */
  private record Shared(
      Map<String, Depth> depths,
      Map<String, QueueFigures> figures,
      Map<String, List<ActiveLease>> leases,
      Map<String, List<StuckPartition>> stuck,
      Map<String, List<GroupInfo>> groups) {}

  List<Figures.OfStream> read(int limit) {
    Shared shared =
        new Shared(
            unique(streams.browser().depths(), Depth::queue),
            unique(streams.browser().figures(null), QueueFigures::queue),
            grouped(streams.browser().leases(null), lease -> lease.cursor().queue()),
            grouped(streams.browser().stuck(null), stuck -> stuck.cursor().queue()),
            grouped(streams.admin().groups(null), GroupInfo::queue));
    List<Figures.OfStream> read = new ArrayList<>();
    for (StreamInfo info : streams.admin().list(null, limit)) {
      Figures.OfStream stream = stream(info, shared);
      if (stream != null) {
        read.add(stream);
      }
    }
    return read;
  }

  private static <T> Map<String, T> unique(Collection<T> all, Function<T, String> queue) {
    return all.stream().collect(Collectors.toMap(queue, one -> one, (first, again) -> first));
  }

  private static <T> Map<String, List<T>> grouped(Collection<T> all, Function<T, String> queue) {
    return all.stream().collect(Collectors.groupingBy(queue));
  }

  private Figures.@Nullable OfStream stream(StreamInfo info, Shared shared) {
    String name = info.name();
    List<CursorInfo> cursors;
    try {
      cursors = streams.admin().cursors(name, null, null, CURSORS);
    } catch (RuntimeException e) {
      return Absence.of(e);
    }
    List<Figures.Group> groups = groups(name, cursors, shared);
    List<StuckPartition> stuck = shared.stuck.getOrDefault(name, List.of());
    Depth depth = shared.depths.get(name);
    QueueFigures size = shared.figures.get(name);
    return new Figures.OfStream(
        name,
        info.paused().push(),
        info.paused().pop(),
        depth == null ? 0 : depth.depth(),
        depth == null ? 0 : depth.maxSize(),
        Reading.oldest(groups.stream().map(Figures.Group::oldestAt).toList()),
        size == null ? 0 : size.partitions(),
        shared.leases.getOrDefault(name, List.of()).size(),
        stuck.stream().filter(StreamReading::isStuck).count(),
        stuck.stream().filter(s -> s.reason() == StuckPartition.Reason.RETRYING).count(),
        size == null ? 0 : size.dead(),
        size == null ? 0 : size.pushed(),
        groups);
  }

  /** What goes on by itself is worth showing, but not stuck. */
  private static boolean isStuck(StuckPartition partition) {
    return switch (partition.reason()) {
      case PARKED, EXPIRED -> true;
      case EXPIRING, RETRYING -> false;
    };
  }

  private static List<Figures.Group> groups(String queue, List<CursorInfo> cursors, Shared shared) {
    List<Figures.Group> groups = new ArrayList<>();
    for (GroupInfo group : shared.groups.getOrDefault(queue, List.of())) {
      List<CursorInfo> own =
          cursors.stream().filter(c -> c.key().group().equals(group.name())).toList();
      groups.add(
          new Figures.Group(
              group.name(),
              group.lag(),
              Reading.oldest(own.stream().map(c -> Reading.ms(c.oldestAt())).toList()),
              own.stream().mapToLong(CursorInfo::committed).sum(),
              shared.leases.getOrDefault(queue, List.of()).stream()
                  .filter(lease -> lease.cursor().group().equals(group.name()))
                  .count(),
              shared.stuck.getOrDefault(queue, List.of()).stream()
                  .filter(s -> isStuck(s) && s.cursor().group().equals(group.name()))
                  .count(),
              group.isAbandoned(),
              group.lastSeenAt().toEpochMilli()));
    }
    return groups;
  }
}
