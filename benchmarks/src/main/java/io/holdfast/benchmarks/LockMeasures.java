package io.holdfast.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The measures of locks, one after the other, on one database. */
final class LockMeasures {
  static final String COSTS = "costs";
  static final String PAIRS_1 = "pairs-1";
  static final String NETWORK = "network";
  static final String PAIRS_8 = "pairs-8";
  static final String SCALING = "scaling";
  static final String LATENCY = "latency";
  static final String HAND_OVERS = "hand-overs";
  static final String TWO_PROCESSES = "two-processes";
  static final String REFUSALS = "refusals";
  static final String RENEWALS = "renewals";
  static final String AGEING = "ageing";

  /** In the order in which they run. */
  static final List<String> ALL =
      List.of(
          COSTS,
          PAIRS_1,
          NETWORK,
          PAIRS_8,
          SCALING,
          LATENCY,
          HAND_OVERS,
          TWO_PROCESSES,
          REFUSALS,
          RENEWALS,
          AGEING);

  /** Connections of every pool: as many as there ever are callers. */
  private static final int POOL_SIZE = 16;

  private static final Duration ROUND_TRIP = Duration.ofNanos(500_000);
  private static final int CALLERS = 8;
  private static final int MANY_CALLERS = 16;
  private static final String OWN_KEYS = Crew.KEYS + " per caller";

  private final BenchDatabase database;
  private final Profile profile;
  private final Set<String> wanted;
  private final Consumer<String> progress;
  private final Place place;
  private final Map<String, List<Series>> series = new LinkedHashMap<>();
  private final List<Report.Measure> measures = new ArrayList<>();

  LockMeasures(
      BenchDatabase database, Profile profile, Set<String> wanted, Consumer<String> progress) {
    this.database = database;
    this.profile = profile;
    this.wanted = wanted;
    this.progress = progress;
    this.place = new Place(database.url(), POOL_SIZE);
  }

  Report run() throws Exception {
    Map<String, String> machine = Facts.machine();
    Map<String, String> server = Facts.server(place);
    try (ServerMeter meter = new ServerMeter(database.adminUrl(), database.name())) {
      List<Report.Account> accounts = wants(COSTS) ? accounts(meter) : List.of();
      compare(new Rounds(profile, meter));
      Report.Renewing renewing = wants(RENEWALS) ? Renewals.measure(profile, place) : null;
      Report.Ageing ageing = wants(AGEING) ? new Ageing(profile, place).measure() : null;
      Report.Setting setting =
          new Report.Setting(
              machine,
              server,
              profile.rounds(),
              profile.time().toMillis() / 1e3,
              POOL_SIZE,
              Facts.loadAverage());
      return new Report(
          setting, accounts, measures, renewing, ageing, LockTargets.of(series, renewing, ageing));
    }
  }

  private boolean wants(String id) {
    boolean asked = wanted.contains(id);
    if (asked) {
      progress.accept(id);
    }
    return asked;
  }

  private List<Report.Account> accounts(ServerMeter meter) throws Exception {
    Accounting accounting = new Accounting(database, place, meter);
    List<Report.Account> accounts = new ArrayList<>();
    for (Kind kind : Kind.LOCKS) {
      accounts.add(accounting.of(kind));
    }
    return accounts;
  }

  private void compare(Rounds rounds) throws Exception {
    if (wants(PAIRS_1)) {
      String title = "acquire and release, 1 caller: pairs/s";
      add(PAIRS_1, title, 1, OWN_KEYS, rounds.run(pairs(1)));
    }
    if (wants(NETWORK)) {
      network(rounds);
    }
    if (wants(PAIRS_8)) {
      String title = "acquire and release, 8 callers on distinct keys: pairs/s";
      add(PAIRS_8, title, CALLERS, OWN_KEYS, rounds.run(pairs(CALLERS)));
    }
    if (wants(SCALING)) {
      String title = "acquire and release, 1 and 16 callers on distinct keys: pairs/s";
      add(SCALING, title, MANY_CALLERS, OWN_KEYS, rounds.run(scaling()));
    }
    if (series.containsKey(PAIRS_8) && wants(LATENCY)) {
      double rate = slowest(series.get(PAIRS_8)) / 2;
      String title =
          "latency of a pair from its intended start, 8 callers, %.0f pairs/s".formatted(rate);
      add(LATENCY, title, CALLERS, OWN_KEYS, rounds.run(openLoop(rate)));
    }
    if (wants(HAND_OVERS)) {
      String title = "one key, 8 callers in one process, no time inside: hand-overs/s";
      add(HAND_OVERS, title, CALLERS, "1", rounds.run(handOvers()));
    }
    if (wants(TWO_PROCESSES)) {
      twoProcesses(rounds);
    }
    if (wants(REFUSALS)) {
      String title = "Holdfast, 8 callers: refusals/s on a held key, grants/s on free ones";
      add(
          REFUSALS,
          title,
          CALLERS,
          "1 held; " + OWN_KEYS,
          rounds.run(
              List.of(
                  new Refusals(Kind.HOLDFAST, place, CALLERS),
                  new Grants(Kind.HOLDFAST, place, CALLERS))));
    }
  }

  private List<Contender> pairs(int callers) throws Exception {
    List<Contender> contenders = new ArrayList<>();
    for (Kind kind : Kind.LOCKS) {
      contenders.add(Pairs.of(kind, place, callers));
    }
    return contenders;
  }

  private void network(Rounds rounds) throws Exception {
    try (FarServer far = new FarServer(database, ROUND_TRIP)) {
      Place distant = far.place(POOL_SIZE);
      List<Contender> contenders = new ArrayList<>();
      for (Kind kind : List.of(Kind.HOLDFAST, Kind.HAND_WRITTEN, Kind.SYNCGUARD)) {
        contenders.add(Pairs.of(kind, distant, 1));
      }
      String title = "acquire and release, 1 caller, a server 0.5 ms away: pairs/s";
      add(NETWORK, title, 1, OWN_KEYS, rounds.run(contenders));
    }
  }

  private List<Contender> scaling() throws Exception {
    return List.of(
        new Pairs("Holdfast, 1 caller", new Crew(Kind.HOLDFAST.open(place), 1)),
        many(Kind.HOLDFAST),
        many(Kind.HAND_WRITTEN),
        many(Kind.COMMIT));
  }

  private Contender many(Kind kind) throws Exception {
    return new Pairs(kind.title() + ", 16 callers", new Crew(kind.open(place), MANY_CALLERS));
  }

  private List<Contender> openLoop(double rate) throws Exception {
    List<Contender> contenders = new ArrayList<>();
    for (Kind kind : Kind.LOCKS) {
      contenders.add(new OpenLoop(kind, place, CALLERS, rate));
    }
    return contenders;
  }

  private List<Contender> handOvers() throws Exception {
    List<Contender> contenders = new ArrayList<>();
    for (Kind kind : Kind.LOCKS) {
      contenders.add(new HandOvers(kind, place, CALLERS));
    }
    return contenders;
  }

  private void twoProcesses(Rounds rounds) throws Exception {
    try (Sibling sibling = Sibling.start(place, CALLERS / 2)) {
      List<Contender> contenders = new ArrayList<>();
      for (Kind kind : List.of(Kind.HOLDFAST, Kind.SHEDLOCK, Kind.SPRING)) {
        contenders.add(new TwoProcesses(kind, place, CALLERS, sibling));
      }
      String title = "one key, 8 callers in two processes, 1 ms inside: hand-overs/s";
      add(TWO_PROCESSES, title, CALLERS, "1", rounds.run(contenders));
    }
  }

  private static double slowest(List<Series> all) {
    return all.stream().mapToDouble(s -> s.perSecond().median()).min().orElseThrow();
  }

  private void add(String id, String title, int callers, String keys, List<Series> results) {
    series.put(id, results);
    measures.add(
        new Report.Measure(
            id, title, callers, "keys " + keys, results.stream().map(Series::figure).toList()));
  }
}
