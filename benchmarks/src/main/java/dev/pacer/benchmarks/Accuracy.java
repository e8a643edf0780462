package dev.pacer.benchmarks;

import dev.pacer.Pacer;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Departures against slots: of one pacer by itself, of one that shares a cursor in PostgreSQL, and of three processes;
 * and what it costs eight callers to keep to a ceiling together.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.Accuracy --help}
 */
@Command(name = "Accuracy", mixinStandardHelpOptions = true, description = "Departures against slots.")
public final class Accuracy implements Callable<Integer> {

  private static final List<String> LATENESS =
      List.of(
          "dispatches ÷ slots",
          "slot p50 ms",
          "slot p99 ms",
          "slot max ms",
          "grid p50 ms",
          "grid p99 ms",
          "grid max ms",
          "times degraded");

  private static final List<String> SHARING =
      List.of(
          "dispatches",
          "peak in any second",
          "bound of P1",
          "distance least ms",
          "distance p1 ms",
          "distance p50 ms",
          "distance max ms",
          "least ÷ most process",
          "times degraded");

  private static final int WARM_UP_RATE = 2_000;
  private static final double WARM_UP_SECONDS = 3;
  private static final int MOST_POINTS = 300;
  private static final int PROCESSES = 3;
  private static final long SECOND = 1_000_000_000;

  /** Until all have been told. */
  private static final long NOTICE = 200_000_000;

  @Option(names = "--seconds", defaultValue = "30", description = "For how long calls go on. ${DEFAULT-VALUE}")
  private double seconds;

  @Option(names = "--rate", split = ",", defaultValue = "7,100,1000,10000", description = "${DEFAULT-VALUE}")
  private double[] rates = {};

  @Option(names = "--fleet-rate", split = ",", defaultValue = "7,100,1000", description = "Of three. ${DEFAULT-VALUE}")
  private double[] fleetRates = {};

  @Option(names = "--rounds", defaultValue = "9", description = "Of eight callers at 7/s. ${DEFAULT-VALUE}")
  private int rounds;

  @Mixin private final Results results = new Results();

  private final List<Sheet.Row> lateness = new ArrayList<>();
  private final List<Sheet.Curve> spreads = new ArrayList<>();
  private final List<Sheet.Row> sharing = new ArrayList<>();
  private final List<Sheet.Curve> timeLines = new ArrayList<>();

  Accuracy() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Accuracy()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    try (Database database = Database.open(Duration.ZERO)) {
      Departures.Watch watch = new Departures.Watch();
      playAlone("in memory", Departing.pacer(Pacer.builder(), watch), watch);
      playAlone("PostgreSQL", Departing.pacer(Pacer.builder().cursor(database.cursor(false).build()), watch), watch);
      playTogether(database);
      Map<String, String> conditions = conditions(database);
      for (Sheet sheet : sheets(conditions, Coordination.play(database, rounds, conditions))) {
        results.add(Goals.ofAccuracy(sheet));
      }
    }
    return 0;
  }

  private List<Sheet> sheets(Map<String, String> conditions, Sheet coordination) {
    return List.of(
        new Sheet("accuracy-lateness", "How far dispatches are behind their slots", conditions, LATENESS, lateness, spreads),
        new Sheet("accuracy-time-line", "Three processes share a pace", conditions, SHARING, sharing, timeLines),
        coordination);
  }

  private void playAlone(String cursor, Pacer pacer, Departures.Watch watch) {
    try (pacer) {
      Departures.of(job("warm-up", WARM_UP_RATE, Math.min(WARM_UP_SECONDS, seconds)), pacer, watch);
      for (double rate : rates) {
        Departures found = Departures.of(job(key(rate), rate, seconds), pacer, watch);
        addLateness(name(cursor, rate), rate, List.of(found));
      }
    }
    pacer.whenClosed().block();
  }

  private void playTogether(Database database) throws IOException {
    try (Crew crew = new Crew(PROCESSES, database.url())) {
      crew.play(job("warm-up", WARM_UP_RATE, Math.min(WARM_UP_SECONDS, seconds)));
      for (double rate : fleetRates) {
        List<Departures> found = crew.play(job(key(rate) + " together", rate, seconds));
        addLateness(name(PROCESSES + " processes, PostgreSQL", rate), rate, found);
        addSharing(rate, found);
      }
    }
  }

  private static Departures.Job job(String key, double rate, double seconds) {
    long start = System.nanoTime() + NOTICE;
    int calls = (int) Math.ceil(rate * seconds) + 1;
    return new Departures.Job(key.replace(' ', '-'), rate, calls, start, start + (long) (seconds * SECOND));
  }

  private static String key(double rate) {
    return "accuracy-" + rate;
  }

  private static String name(String who, double rate) {
    return String.format(Locale.ROOT, "%s, %,.0f/s", who, rate);
  }

  private void addLateness(String name, double rate, List<Departures> found) {
    TimeLine line = TimeLine.of(found);
    Spread slot = late(found);
    Spread grid = Spread.of(line.behindGrid(rate, Math.max(10, (int) rate)));
    double perSecond = (line.size() - 1) * (double) SECOND / Math.max(1, line.length());
    lateness.add(row(name, LATENESS,
        perSecond / rate,
        slot.at(50),
        slot.at(99),
        slot.max(),
        grid.at(50),
        grid.at(99),
        grid.max(),
        Departures.degraded(found)));
    spreads.add(new Sheet.Curve(name, "behind the slot, ms", "dispatches not later, %", slot.curve()));
  }

  private static Spread late(List<Departures> found) {
    return Spread.of(found.stream().flatMap(one -> one.late().stream()).toList());
  }

  private void addSharing(double rate, List<Departures> found) {
    TimeLine line = TimeLine.of(found);
    Spread distances = Spread.of(line.distances());
    Shares shares = new Shares(found.stream().map(one -> (long) one.times().size()).toList());
    String name = name(PROCESSES + " processes", rate);
    sharing.add(row(name, SHARING,
        line.size(),
        line.peak(SECOND),
        (double) TimeLine.bound(SECOND, rate, (long) (late(found).max() * 1e6)),
        distances.at(0),
        distances.at(1),
        distances.at(50),
        distances.max(),
        shares.leastToMost(),
        Departures.degraded(found)));
    timeLines.add(new Sheet.Curve(name, "seconds", "process", line.curve(MOST_POINTS)));
  }

  static Sheet.Row row(String name, List<String> columns, double... values) {
    Map<String, Sheet.Figure> figures = new LinkedHashMap<>();
    for (int i = 0; i < values.length; i++) {
      figures.put(columns.get(i), Sheet.Figure.of(values[i]));
    }
    return new Sheet.Row(name, figures);
  }

  private Map<String, String> conditions(Database database) throws SQLException {
    Map<String, String> conditions = Conditions.here();
    conditions.put("database", database.version() + ", synchronous_commit off, loopback");
    conditions.put("seconds", Double.toString(seconds));
    conditions.put("callers", "all calls come at the start, and wait");
    conditions.put("slot", "behind it as the pacer says");
    conditions.put(
        "grid", "behind it by the callers' own stamps; the earliest of each second (of ten at least) says where it lies");
    conditions.put("late", "the bound counts the latest dispatch as P1 does: ⌈(1 s + late) ÷ interval⌉");
    return conditions;
  }
}
