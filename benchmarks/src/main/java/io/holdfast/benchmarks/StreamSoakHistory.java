package io.holdfast.benchmarks;

import io.holdfast.testkit.history.StreamHistory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Tells a history from the {@link StreamNotes} of all consumers, killed ones too. */
final class StreamSoakHistory {
  private final StreamHistory history;
  private long claims;
  private long deliveries;
  private long settled;
  private long doubtful;
  private long wrong;

  StreamSoakHistory(StreamHistory history) {
    this.history = history;
  }

  long claims() {
    return claims;
  }

  /** Messages given, the same one perhaps more than once. */
  long deliveries() {
    return deliveries;
  }

  long settled() {
    return settled;
  }

  /** Messages that somebody was about to settle when he was killed. */
  long doubtful() {
    return doubtful;
  }

  /** Messages that carried what they should not. */
  long wrong() {
    return wrong;
  }

  void read(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        readFile(file);
      }
    }
  }

  private void readFile(Path file) throws IOException {
    String text = Files.readString(file, StandardCharsets.UTF_8);
    Map<StreamHistory.ClaimKey, List<Long>> open = new HashMap<>();
    // What follows the last end of a line was being written when its writer was killed.
    text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(line -> readLine(line, open));
    open.forEach(
        (key, offsets) -> {
          doubtful += offsets.size();
          history.released(key); // perhaps
          offsets.forEach(offset -> history.doubtful(key, offset));
        });
  }

  private void readLine(String line, Map<StreamHistory.ClaimKey, List<Long>> open) {
    String[] words = line.split(" ", -1);
    StreamHistory.ClaimKey key =
        new StreamHistory.ClaimKey(words[1], words[2], Long.parseLong(words[3]));
    switch (words[0]) {
      case StreamNotes.CLAIMED -> {
        List<Long> offsets = offsets(words[6]);
        history.claimed(key, offsets, Instant.parse(words[4]), Instant.parse(words[5]));
        claims++;
        deliveries += offsets.size();
      }
      case StreamNotes.EXTENDED -> history.extended(key, Instant.parse(words[4]));
      case StreamNotes.SETTLING -> open.put(key, offsets(words[4]));
      case StreamNotes.SETTLED -> {
        open.remove(key);
        settled(key, Boolean.parseBoolean(words[4]), offsets(words[5]));
      }
      case StreamNotes.RELEASING -> history.released(key);
      case StreamNotes.WRONG -> wrong++;
      default -> throw new IllegalStateException("not a note of a consumer: " + line);
    }
  }

  private void settled(StreamHistory.ClaimKey key, boolean isReleased, List<Long> offsets) {
    settled += offsets.size();
    offsets.forEach(offset -> history.settled(key, offset));
    if (isReleased) {
      history.released(key);
    }
  }

  private static List<Long> offsets(String joined) {
    return joined.isEmpty()
        ? List.of()
        : Arrays.stream(joined.split(",")).map(Long::valueOf).toList();
  }
}
