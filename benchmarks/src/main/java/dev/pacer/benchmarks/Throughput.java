package dev.pacer.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Reservations per second, for callers who ask again as soon as they are served. Prints a table in Markdown.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.Throughput --help}
 */
@Command(name = "Throughput", mixinStandardHelpOptions = true, description = "Reservations per second, closed loop.")
public final class Throughput implements Callable<Integer> {

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

  private Throughput() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Throughput()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    try (Database database = Database.open(Duration.ofMillis(roundTrip))) {
      List<Contender> contenders =
          Contender.all(database, durable).stream().filter(one -> one.name().matches(only)).toList();
      Map<String, List<Turn>> results = new LinkedHashMap<>();
      for (int round = 0; round <= rounds; round++) {
        for (Contender contender : contenders) {
          Turn turn = Turn.play(contender, round == 0 ? 1 : seconds);
          if (round > 0) { // the first one is for the JVM to warm up
            results.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(turn);
          }
        }
      }
      System.out.printf(
          Locale.ROOT,
          "%n%s, JDK %s, %d processors, synchronous_commit %s, round trip +%d ms, %d rounds of %d s%n%n",
          database.version(),
          Runtime.version(),
          Runtime.getRuntime().availableProcessors(),
          durable ? "on" : "off",
          roundTrip,
          rounds,
          seconds);
      System.out.println(
          "| case | reservations/s: median (min to max) | p50 ms | p99 ms | visits/reservation | live threads | load |");
      System.out.println("|---|---|---|---|---|---|---|");
      results.forEach((name, turns) -> System.out.println(row(name, turns)));
    }
    return 0;
  }

  private static String row(String name, List<Turn> turns) {
    List<Turn> sorted =
        turns.stream().sorted((a, b) -> Double.compare(a.perSecond(), b.perSecond())).toList();
    Histogram all = new Histogram(2);
    turns.forEach(turn -> all.add(turn.latency()));
    return String.format(
        Locale.ROOT,
        "| %s | %,.0f (%,.0f to %,.0f) | %.2f | %.2f | %.4f | %d | %.1f to %.1f |",
        name,
        median(sorted).perSecond(),
        sorted.get(0).perSecond(),
        sorted.get(sorted.size() - 1).perSecond(),
        all.getValueAtPercentile(50) / 1e6,
        all.getValueAtPercentile(99) / 1e6,
        median(sorted).visitsPerReservation(),
        turns.stream().mapToInt(Turn::threads).max().orElse(0),
        turns.stream().mapToDouble(Turn::load).min().orElse(0),
        turns.stream().mapToDouble(Turn::load).max().orElse(0));
  }

  private static Turn median(List<Turn> sorted) {
    return sorted.get(sorted.size() / 2);
  }

  /** How many threads there are now, whoever they belong to. */
  static int liveThreads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }
}
