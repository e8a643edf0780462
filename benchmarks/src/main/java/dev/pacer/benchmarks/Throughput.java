package dev.pacer.benchmarks;

import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Reservations per second, for callers who ask again as soon as they are served.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.Throughput --help}
 */
@Command(name = "Throughput", mixinStandardHelpOptions = true, description = "Reservations per second, closed loop.")
public final class Throughput implements Callable<Integer> {

  static final String RATE = "reservations/s";
  static final String ROUND_TRIPS = "round trips/reservation";

  private static final Map<String, ToDoubleFunction<Turn>> COLUMNS = columns();

  @Option(names = "--rounds", defaultValue = "5", description = "Every case has its turn in each. ${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "3", description = "Seconds measured in a turn. ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--only", defaultValue = ".*", description = "Cases to be run, as a regular expression.")
  private String only = "";

  @Option(names = "--redis", paramLabel = "URL", description = "redis://host:port, for those who need one.")
  private @Nullable String redisUrl;

  @Mixin private final Terms terms = new Terms();

  private Throughput() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Throughput()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    try (Database database = terms.open();
        Redis near = redisUrl == null ? null : Redis.open(redisUrl, terms.roundTrip());
        Watch watch = new Watch(database)) {
      List<Contender> contenders = contenders(database, near);
      Map<String, List<Turn>> turns = new LinkedHashMap<>();
      for (int round = 0; round <= rounds; round++) {
        for (Contender contender : contenders) {
          Turn turn = Turn.play(contender, watch, round == 0 ? 1 : seconds);
          if (round > 0) { // the first one is for the JVM to warm up
            turns.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(turn);
          }
        }
      }
      terms.give(Goals.ofThroughput(sheet(database, turns, roundTrips(database, near, turns)), terms));
    }
    return 0;
  }

  private List<Contender> contenders(Database database, @Nullable Redis redis) {
    return terms.contenders(database, redis).all().stream().filter(one -> one.name().matches(only)).toList();
  }

  /**
   * By name, per reservation. Where the proxy that makes the distance has not counted them, in a turn through one that
   * adds none, of which nothing else is kept: it costs time, and those most who need most round trips.
   */
  private Map<String, Double> roundTrips(Database database, @Nullable Redis redis, Map<String, List<Turn>> turns)
      throws Exception {
    Map<String, Double> counts = new LinkedHashMap<>();
    if (!terms.roundTrip().isZero()) {
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

  private Sheet sheet(Database database, Map<String, List<Turn>> turns, Map<String, Double> roundTrips)
      throws SQLException {
    Map<String, String> conditions = terms.conditions(database);
    conditions.put("rounds", rounds + " of " + seconds + " s");
    List<Sheet.Row> rows = new ArrayList<>();
    List<Sheet.Curve> curves = new ArrayList<>();
    turns.forEach(
        (name, all) -> {
          Sheet.Row row = Sheet.Row.of(name, all, COLUMNS);
          rows.add(row.with(ROUND_TRIPS, roundTrips.getOrDefault(name, Double.NaN)));
          Histogram latency = new Histogram(2);
          all.forEach(turn -> latency.add(turn.latency()));
          curves.add(Sheet.Curve.ofNanos(name, latency, "latency, ms", 1e6));
        });
    List<String> columns = new ArrayList<>(COLUMNS.keySet());
    columns.add(ROUND_TRIPS);
    return new Sheet(
        terms.name("throughput"), "Reservations per second, closed loop, " + terms, conditions, columns, rows, curves);
  }

  private static Map<String, ToDoubleFunction<Turn>> columns() {
    Map<String, ToDoubleFunction<Turn>> columns = new LinkedHashMap<>();
    columns.put(RATE, Turn::perSecond);
    columns.put("p50 ms", turn -> turn.latency().getValueAtPercentile(50) / 1e6);
    columns.put("p99 ms", turn -> turn.latency().getValueAtPercentile(99) / 1e6);
    columns.put("visits/reservation", Turn::visitsPerReservation);
    columns.put("connections busy", turn -> turn.most().connectionsBusy());
    columns.put("threads awaiting one", turn -> turn.most().threadsAwaiting());
    columns.put("lock waits, mean", turn -> turn.most().meanLockWaits());
    columns.put("lock waits, most", turn -> turn.most().lockWaits());
    columns.put("live threads", Turn::threads);
    columns.put("degraded", Turn::degraded);
    columns.put("load average", Turn::load);
    return columns;
  }

  /** How many threads there are now, whoever they belong to. */
  static int liveThreads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }
}
