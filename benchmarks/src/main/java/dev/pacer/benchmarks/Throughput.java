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
import org.jspecify.annotations.Nullable;
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

  @Option(names = "--redis", paramLabel = "URL", description = "redis://host:port, for those who need one.")
  private @Nullable String redisUrl;

  private Throughput() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Throughput()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Duration distance = Duration.ofMillis(roundTrip);
    try (Database database = Database.open(distance);
        Redis near = redisUrl == null ? null : Redis.open(redisUrl, distance);
        Watch watch = new Watch(database)) {
      List<Contender> contenders = contenders(database, near);
      Map<String, List<Turn>> results = new LinkedHashMap<>();
      for (int round = 0; round <= rounds; round++) {
        for (Contender contender : contenders) {
          Turn turn = Turn.play(contender, watch, round == 0 ? 1 : seconds);
          if (round > 0) { // the first one is for the JVM to warm up
            results.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(turn);
          }
        }
      }
      Map<String, Double> roundTrips = roundTrips(database, near, results);
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
          "| case | reservations/s: median (min to max) | p50 ms | p99 ms | visits/reservation | round trips/reservation"
              + " | connections busy | threads awaiting one | lock waits, mean | lock waits, most | degraded | live threads | load |");
      System.out.println("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
      results.forEach(
          (name, turns) -> System.out.println(row(name, roundTrips.getOrDefault(name, Double.NaN), turns)));
    }
    return 0;
  }

  private List<Contender> contenders(Database database, @Nullable Redis redis) {
    return new Contenders(database, redis, durable).all().stream().filter(one -> one.name().matches(only)).toList();
  }

  /**
   * By name, per reservation. Where the proxy that makes the distance has not counted them, in a turn through one that
   * adds none, of which nothing else is kept: it costs time, and those most who need most round trips.
   */
  private Map<String, Double> roundTrips(Database database, @Nullable Redis redis, Map<String, List<Turn>> turns)
      throws Exception {
    Map<String, Double> counts = new LinkedHashMap<>();
    if (roundTrip > 0) {
      turns.forEach((name, some) -> counts.put(name, some.get(some.size() / 2).roundTripsPerReservation()));
      return counts;
    }
    try (Database counted = database.counted();
        Redis countedRedis = redis == null ? null : redis.counted();
        Watch watch = new Watch(counted)) {
      for (Contender contender : contenders(counted, countedRedis)) {
        counts.put(contender.name(), Turn.play(contender, watch, seconds).roundTripsPerReservation());
      }
    }
    return counts;
  }

  private static String row(String name, double roundTrips, List<Turn> turns) {
    List<Turn> sorted =
        turns.stream().sorted((a, b) -> Double.compare(a.perSecond(), b.perSecond())).toList();
    Histogram all = new Histogram(2);
    turns.forEach(turn -> all.add(turn.latency()));
    return String.format(
        Locale.ROOT,
        "| %s | %,.0f (%,.0f to %,.0f) | %.2f | %.2f | %.4f | %.4f | %.0f | %d | %.1f | %d | %d | %d | %.1f to %.1f |",
        name,
        median(sorted).perSecond(),
        sorted.get(0).perSecond(),
        sorted.get(sorted.size() - 1).perSecond(),
        all.getValueAtPercentile(50) / 1e6,
        all.getValueAtPercentile(99) / 1e6,
        median(sorted).visitsPerReservation(),
        roundTrips,
        turns.stream().mapToDouble(turn -> turn.most().connectionsBusy()).max().orElse(0),
        turns.stream().mapToInt(turn -> turn.most().threadsAwaiting()).max().orElse(0),
        turns.stream().mapToDouble(turn -> turn.most().meanLockWaits()).max().orElse(0),
        turns.stream().mapToInt(turn -> turn.most().lockWaits()).max().orElse(0),
        turns.stream().mapToInt(Turn::degraded).sum(),
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
