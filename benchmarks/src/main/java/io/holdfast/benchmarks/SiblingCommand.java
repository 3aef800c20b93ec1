package io.holdfast.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** What a {@link Sibling} runs: competes for the key as its input says, and answers its grants. */
@Command(name = "sibling", hidden = true)
final class SiblingCommand implements Callable<Integer> {
  private static final int FIRST_HOLDER = Tally.PROCESS + 1;

  @Override
  public Integer call() throws Exception {
    Map<Kind, HotKey> open = new EnumMap<>(Kind.class);
    try (BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      Place place = new Place(orders.readLine(), Integer.parseInt(orders.readLine()));
      int callers = Integer.parseInt(orders.readLine());
      Tally tally = Tally.in(Path.of(orders.readLine()));
      obey(
          orders,
          kind ->
              new HotKey(
                  kind.open(place),
                  callers,
                  tally,
                  new HotKey.Manners(TwoProcesses.SECTION, true, FIRST_HOLDER)),
          open);
    } finally {
      for (HotKey hotKey : open.values()) {
        hotKey.close();
      }
    }
    return 0;
  }

  @FunctionalInterface
  private interface Opener {
    HotKey open(Kind kind) throws Exception;
  }

  private static void obey(BufferedReader orders, Opener opener, Map<Kind, HotKey> open)
      throws Exception {
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      String[] words = order.split(" ");
      Kind kind = Kind.valueOf(words[0]);
      HotKey hotKey = open.get(kind);
      if (hotKey == null) {
        hotKey = opener.open(kind);
        open.put(kind, hotKey);
      }
      answer(hotKey.run(Duration.ofMillis(Long.parseLong(words[1]))).operations());
    }
  }

  private static void answer(long grants) throws IOException {
    System.out.println(grants);
    if (System.out.checkError()) {
      throw new IOException("nobody listens any more");
    }
  }
}
