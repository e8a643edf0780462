package dev.pacer.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Reservations per second, for callers who ask again as soon as they are served. Prints a table in Markdown.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.Throughput --help}
 */
@Command(name = "Throughput", mixinStandardHelpOptions = true, description = "Reservations per second, closed loop.")
public final class Throughput implements Callable<Integer> {

  private static final String RATE = "reservations/s";

  @Option(names = "--rounds", defaultValue = "5", description = "Every case has its turn in each. ${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "3", description = "Seconds measured in a turn. ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--durable", description = "synchronous_commit on, for everybody.")
  private boolean durable;

  @Option(names = "--round-trip", defaultValue = "0", description = "Added to every round trip, ms. ${DEFAULT-VALUE}")
  private int roundTrip;

  @Option(names = "--only", defaultValue = ".*", description = "Cases to be run, as a regular expression.")
  private String only = "";

  @Mixin private final Results results = new Results();

  private Throughput() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Throughput()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    try (Database database = Database.open(Duration.ofMillis(roundTrip))) {
      List<Contender> contenders =
          Contender.all(database, durable).stream().filter(one -> one.name().matches(only)).toList();
      Map<String, List<Turn>> turns = new LinkedHashMap<>();
      for (int round = 0; round <= rounds; round++) {
        for (Contender contender : contenders) {
          Turn turn = Turn.play(contender, round == 0 ? 1 : seconds);
          if (round > 0) { // the first one is for the JVM to warm up
            turns.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(turn);
          }
        }
      }
      results.add(Goals.ofThroughput(sheet(database.version(), turns), durable, roundTrip));
    }
    return 0;
  }

  private Sheet sheet(String database, Map<String, List<Turn>> turns) {
    Map<String, String> conditions = Conditions.here();
    conditions.put("database", database);
    conditions.put("synchronous_commit", durable ? "on" : "off");
    conditions.put("round trip", "+" + roundTrip + " ms");
    conditions.put("rounds", rounds + " of " + seconds + " s");
    String place = roundTrip == 0 ? "loopback" : roundTrip + " ms away";
    List<Sheet.Row> rows = new ArrayList<>();
    List<Sheet.Curve> curves = new ArrayList<>();
    turns.forEach(
        (name, all) -> {
          rows.add(Sheet.Row.of(name, all, columns()));
          Histogram latency = new Histogram(2);
          all.forEach(turn -> latency.add(turn.latency()));
          curves.add(Sheet.Curve.ofNanos(name, latency, "latency, ms", 1e6));
        });
    return new Sheet(
        "throughput-" + place.replace(' ', '-') + (durable ? "-durable" : ""),
        "Reservations per second, closed loop, " + place + (durable ? ", durable" : ""),
        conditions,
        List.copyOf(columns().keySet()),
        rows,
        curves);
  }

  private static Map<String, ToDoubleFunction<Turn>> columns() {
    Map<String, ToDoubleFunction<Turn>> columns = new LinkedHashMap<>();
    columns.put(RATE, Turn::perSecond);
    columns.put("p50 ms", turn -> turn.latency().getValueAtPercentile(50) / 1e6);
    columns.put("p99 ms", turn -> turn.latency().getValueAtPercentile(99) / 1e6);
    columns.put("visits/reservation", Turn::visitsPerReservation);
    columns.put("live threads", Turn::threads);
    columns.put("load average", Turn::load);
    return columns;
  }

  /** How many threads there are now, whoever they belong to. */
  static int liveThreads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }
}
