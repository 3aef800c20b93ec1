package io.holdfast.server.stream;

import io.holdfast.server.http.Caller;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.Streams;
import java.util.ArrayList;
import java.util.List;

/** The queues that a caller may see. */
final class Queues {
  private static final int PAGE = 1_000;

  private final Streams streams;

  Queues(Streams streams) {
    this.streams = streams;
  }

  List<StreamInfo> seen(Caller caller) {
    List<StreamInfo> seen = new ArrayList<>();
    List<StreamInfo> page = streams.admin().list(null, PAGE);
    while (!page.isEmpty()) {
      page.stream().filter(info -> caller.sees(info.name())).forEach(seen::add);
      page =
          page.size() < PAGE
              ? List.of()
              : streams.admin().list(page.get(page.size() - 1).name(), PAGE);
    }
    return seen;
  }

  /** How many messages are put by, in them. */
  long held(Caller caller) {
    return caller.isRestricted()
        ? seen(caller).stream().mapToLong(info -> streams.admin().held(info.name())).sum()
        : streams.admin().held(null);
  }

  StreamInfo get(String queue) {
    return streams.admin().find(queue).orElseThrow(() -> StreamException.noQueue(queue));
  }
}
