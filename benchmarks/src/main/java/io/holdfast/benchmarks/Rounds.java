package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;

/**
 * Lets contenders take turns: after a warm-up of each, A B C, A B C, and so on. What changes on the
 * machine in the meantime then hits all of them.
 */
final class Rounds {
  private final Profile profile;
  private final ServerMeter meter;

  Rounds(Profile profile, ServerMeter meter) {
    this.profile = profile;
    this.meter = meter;
  }

  /** Runs and closes the contenders; one series for each, in their order. */
  List<Series> run(List<? extends Contender> contenders) throws Exception {
    List<Series> all = new ArrayList<>();
    try {
      for (Contender contender : contenders) {
        contender.prepare(profile.warmUp());
        contender.run(profile.warmUp());
        all.add(new Series(contender.title()));
      }
      for (int round = 0; round < profile.rounds(); round++) {
        for (int i = 0; i < contenders.size(); i++) {
          contenders.get(i).prepare(profile.time());
          ServerMeter.Reading before = meter.read();
          Contender.Run run = contenders.get(i).run(profile.time());
          all.get(i).add(run, meter.read().since(before));
        }
      }
      return all;
    } finally {
      for (Contender contender : contenders) {
        contender.close();
      }
    }
  }
}
