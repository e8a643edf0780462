package dev.pacer.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@link ReserveLatency} for noisy machines: one caller, one process, one database, and all contenders take turns of a
 * few milliseconds in random order, so that whatever else the machine does, it does to all of them. Ratios of what JMH
 * measures minutes apart mean little where the load changes meanwhile.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.SideBySide --help}
 */
@Command(name = "SideBySide", mixinStandardHelpOptions = true, description = "Latency of one caller, interleaved.")
public final class SideBySide implements Callable<Integer> {

  private static final String PACER = "pacer";
  private static final String P50 = "p50 µs";
  private static final String RATIO = "pacer's p50 ÷ this p50";

  private static final int CALLS_IN_A_TURN = 50;

  /** As many pieces as the run is cut into, to see how far the medians spread. */
  private static final int PIECES = 7;

  @Option(names = "--seconds", defaultValue = "60", description = "Measured, after a third of that. ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--durable", description = "synchronous_commit on, for everybody.")
  private boolean durable;

  @Option(names = "--round-trip", defaultValue = "0", description = "Added to every round trip, ms. ${DEFAULT-VALUE}")
  private int roundTrip;

  @Mixin private final Results results = new Results();

  private SideBySide() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new SideBySide()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    try (Database database = Database.open(Duration.ofMillis(roundTrip))) {
      ReserveLatency calls = new ReserveLatency();
      ReserveLatency.Reading reading = new ReserveLatency.Reading();
      ReserveLatency.Writing writing = new ReserveLatency.Writing();
      ReserveLatency.Paced paced = new ReserveLatency.Paced();
      ReserveLatency.Bucketed bucketed = new ReserveLatency.Bucketed();
      String commit = durable ? "on" : "off";
      writing.synchronousCommit = commit;
      paced.synchronousCommit = commit;
      bucketed.synchronousCommit = commit;
      List<ReserveLatency.Server> all = List.of(reading, writing, paced, bucketed);
      for (ReserveLatency.Server one : all) {
        one.share(database);
        one.open();
      }
      Map<String, Runnable> contenders = new LinkedHashMap<>();
      contenders.put("driver, `SELECT $1`", () -> calls.select(reading));
      contenders.put("driver, `SELECT $1`, hop", () -> calls.selectAndHop(reading));
      contenders.put("driver, one-row `UPDATE`, hop", () -> calls.updateAndHop(writing));
      contenders.put(PACER, () -> calls.pacer(paced));
      contenders.put("Bucket4j", () -> calls.bucket4j(bucketed));
      play(contenders, Math.max(1, seconds / 3));
      List<Map<String, Histogram>> pieces = new ArrayList<>();
      for (int piece = 0; piece < PIECES; piece++) {
        pieces.add(play(contenders, Math.max(1, seconds / PIECES)));
      }
      results.add(Goals.ofOneCaller(sheet(database.version(), contenders.keySet(), pieces), durable, RATIO));
      all.forEach(ReserveLatency.Server::close);
    }
    return 0;
  }

  private static Map<String, Histogram> play(Map<String, Runnable> contenders, int seconds) {
    Map<String, Histogram> latency = new LinkedHashMap<>();
    List<String> order = new ArrayList<>(contenders.keySet());
    order.forEach(name -> latency.put(name, new Histogram(3)));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() - end < 0) {
      Collections.shuffle(order);
      for (String name : order) {
        turn(Objects.requireNonNull(contenders.get(name)), latency(latency, name));
      }
    }
    return latency;
  }

  /** The first call of a turn finds the caches of somebody else, and does not count. */
  private static void turn(Runnable call, Histogram latency) {
    call.run();
    for (int i = 0; i < CALLS_IN_A_TURN; i++) {
      long since = System.nanoTime();
      call.run();
      latency.recordValue(System.nanoTime() - since);
    }
  }

  private Sheet sheet(String database, Iterable<String> names, List<Map<String, Histogram>> pieces) {
    Map<String, String> conditions = Conditions.here();
    conditions.put("database", database);
    conditions.put("synchronous_commit", durable ? "on" : "off");
    conditions.put("round trip", "+" + roundTrip + " ms");
    conditions.put("rounds", PIECES + " pieces of a run of " + seconds + " s");
    String place = roundTrip == 0 ? "loopback" : roundTrip + " ms away";
    List<Sheet.Row> rows = new ArrayList<>();
    List<Sheet.Curve> curves = new ArrayList<>();
    for (String name : names) {
      rows.add(Sheet.Row.of(name, pieces, columns(name)));
      Histogram latency = new Histogram(3);
      pieces.forEach(piece -> latency.add(latency(piece, name)));
      curves.add(Sheet.Curve.ofNanos(name, latency, "latency, µs", 1e3));
    }
    return new Sheet(
        "side-by-side-" + place.replace(' ', '-') + (durable ? "-durable" : ""),
        "One caller who need not wait, " + place + (durable ? ", durable" : ""),
        conditions,
        List.copyOf(columns(PACER).keySet()),
        rows,
        curves);
  }

  private static Map<String, ToDoubleFunction<Map<String, Histogram>>> columns(String name) {
    Map<String, ToDoubleFunction<Map<String, Histogram>>> columns = new LinkedHashMap<>();
    columns.put(P50, piece -> median(piece, name));
    columns.put(RATIO, piece -> median(piece, PACER) / median(piece, name));
    columns.put("p99 µs", piece -> latency(piece, name).getValueAtPercentile(99) / 1e3);
    columns.put("mean µs", piece -> latency(piece, name).getMean() / 1e3);
    return columns;
  }

  private static double median(Map<String, Histogram> piece, String name) {
    return latency(piece, name).getValueAtPercentile(50) / 1e3;
  }

  private static Histogram latency(Map<String, Histogram> piece, String name) {
    return Objects.requireNonNull(piece.get(name), name);
  }
}
