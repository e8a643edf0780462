package dev.pacer.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * How long a reservation takes whose caller does not care whether those before it have been served: calls arrive at
 * random, at a rate that all can keep. Each is measured from the moment at which it was to arrive, so whoever is slow for
 * a while is charged for all that came meanwhile.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.OpenLoop --help}
 */
@Command(name = "OpenLoop", mixinStandardHelpOptions = true, description = "Latency where calls arrive at random.")
public final class OpenLoop implements Callable<Integer> {

  private static final List<Double> PERCENTILES = List.of(0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.99);

  private static final Map<String, ToDoubleFunction<OpenTurn>> COLUMNS = columns();

  @Option(names = "--rounds", defaultValue = "5", description = "Every case has its turn in each. ${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "10", description = "Seconds measured in a turn. ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--rate", defaultValue = "1000", description = "Arrivals per second. ${DEFAULT-VALUE}")
  private int rate;

  @Option(names = "--keys", defaultValue = "100", description = "Each call is for one of so many. ${DEFAULT-VALUE}")
  private int keys;

  @Mixin private final Terms terms = new Terms();

  private OpenLoop() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new OpenLoop()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    try (Database database = terms.open()) {
      Map<String, List<OpenTurn>> turns = new LinkedHashMap<>();
      for (int round = 0; round <= rounds; round++) {
        long[] arrivals = arrivals(round);
        for (Contender contender : contenders(database)) {
          OpenTurn turn = OpenTurn.play(contender, arrivals);
          if (round > 0) { // the first one is for the JVM to warm up
            turns.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(turn);
          }
        }
      }
      terms.give(Goals.ofOpenLoop(sheet(terms.conditions(database), turns)));
    }
    return 0;
  }

  /** The same for everybody. */
  private long[] arrivals(int round) {
    return Arrivals.within(OpenTurn.WARM_UP.plusSeconds(seconds), rate, new SplittableRandom(round));
  }

  private List<Contender> contenders(Database database) {
    Contenders all = terms.contenders(database);
    return List.of(
        all.pacer(1, keys, Ceiling.pace()).named("pacer"),
        all.bucket4j(1, keys, Buckets.Way.SELECT_FOR_UPDATE, Contenders.ELASTIC).named("Bucket4j"),
        all.bucket4j(1, keys, Buckets.Way.BATCHING, Contenders.ELASTIC).named("Bucket4j batching"));
  }

  private static Map<String, ToDoubleFunction<OpenTurn>> columns() {
    Map<String, ToDoubleFunction<OpenTurn>> columns = new LinkedHashMap<>();
    columns.put("p50 ms", turn -> millis(turn.latency(), 50));
    columns.put("p99 ms", turn -> millis(turn.latency(), 99));
    columns.put("p99.9 ms", turn -> millis(turn.latency(), 99.9));
    columns.put("of which made late, p50 ms", turn -> millis(turn.departure(), 50));
    columns.put("of which made late, p99 ms", turn -> millis(turn.departure(), 99));
    columns.put("degraded", OpenTurn::degraded);
    columns.put("load average", OpenTurn::load);
    return columns;
  }

  private Sheet sheet(Map<String, String> conditions, Map<String, List<OpenTurn>> turns) {
    conditions.put("arrivals", "Poisson, " + rate + "/s over " + keys + " keys");
    conditions.put("rounds", rounds + " of " + seconds + " s");
    List<Sheet.Row> rows = new ArrayList<>();
    List<Sheet.Curve> curves = new ArrayList<>();
    turns.forEach(
        (name, some) -> {
          Map<String, Sheet.Figure> figures = new LinkedHashMap<>();
          COLUMNS.forEach(
              (column, what) -> figures.put(column, Sheet.Figure.of(some.stream().mapToDouble(what).toArray())));
          rows.add(new Sheet.Row(name, figures));
          curves.add(distribution(name, some));
        });
    String title = "Latency where calls arrive at random, " + rate + "/s over " + keys + " keys";
    return new Sheet(terms.name("open-loop"), title, conditions, List.copyOf(COLUMNS.keySet()), rows, curves);
  }

  private static Sheet.Curve distribution(String name, List<OpenTurn> turns) {
    Histogram all = new Histogram(OpenTurn.LONGEST.toNanos(), 3);
    turns.forEach(turn -> all.add(turn.latency()));
    List<double[]> points =
        PERCENTILES.stream().map(percentile -> new double[] {percentile, millis(all, percentile)}).toList();
    return new Sheet.Curve(name, "percentile", "latency, ms", points);
  }

  private static double millis(Histogram nanos, double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1e6;
  }
}
