package dev.pacer.benchmarks;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.pacer.Pacer;
import dev.pacer.benchmarks.ModelFleet.Found;
import dev.pacer.benchmarks.ModelFleet.Scene;
import dev.pacer.benchmarks.ModelFleet.Stopped;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What becomes of it with many processes and fast paces: played in virtual time, with the library's own pacers and
 * arithmetic, and a database and a network that are models. The seed decides everything. Needs no database.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.Scale --help}
 */
@Command(name = "Scale", mixinStandardHelpOptions = true, description = "Many processes, by simulation.")
public final class Scale implements Callable<Integer> {

  private static final List<String> SHARING =
      List.of(
          "dispatches/s",
          "statements/s",
          "rows/s and key",
          "statements/s and process",
          "Jain's index",
          "least ÷ most process",
          "single caller p50 ms",
          "single caller p99 ms",
          "times degraded");

  /** How often each fleet is stopped, at moments of their own. */
  private static final int STOPS = 3;

  private static final int FEW = 10;

  private static final List<String> STOPPING =
      List.of("told: last dispatch, ms", "told: dispatches", "not told: last dispatch, ms", "not told: dispatches");

  @Option(names = "--processes", split = ",", defaultValue = "10,100,1000", description = "${DEFAULT-VALUE}")
  private int[] processes = {};

  @Option(names = "--rate", split = ",", defaultValue = "10,1000,100000,1000000", description = "${DEFAULT-VALUE}")
  private int[] rates = {};

  @Option(
      names = "--callers",
      split = ",",
      defaultValue = "500,5000,20000,50000,70000,100000,200000",
      description = "Of a single process. ${DEFAULT-VALUE}")
  private int[] callers = {};

  @Option(names = "--keys", defaultValue = "10", description = "Of the cases with several. ${DEFAULT-VALUE}")
  private int keys;

  @Option(names = "--seed", defaultValue = "1", description = "${DEFAULT-VALUE}")
  private long seed;

  @Mixin private final Results results = new Results();

  Scale() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Scale()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    ((Logger) LoggerFactory.getLogger(Pacer.class)).setLevel(Level.OFF); // the sheets say it
    for (Sheet sheet : List.of(statements(), sharing(), stopping())) {
      results.add(Goals.ofScale(sheet));
    }
    return 0;
  }

  /** One process: what the number of its callers makes of the number of its statements. */
  private Sheet statements() {
    List<Sheet.Row> rows = new ArrayList<>();
    List<double[]> points = new ArrayList<>();
    for (int n : callers) {
      Found found = new ModelFleet(new Scene(1, /* keys= */ 1, Ceiling.PER_SECOND, n, /* notifies= */ true, seed)).play();
      String name = String.format(Locale.ROOT, "1 process, %,d/s, %,d callers", Ceiling.PER_SECOND, n);
      rows.add(Accuracy.row(name, SHARING.subList(0, 2), found.departures(), found.statements()));
      points.add(new double[] {n, found.statements()});
    }
    List<Sheet.Curve> curves = List.of(new Sheet.Curve("1 process, 1 key", "callers", "statements/s", points));
    return new Sheet(
        "scale-statements", "Statements for one fast key, simulated", conditions(), SHARING.subList(0, 2), rows, curves);
  }

  private Sheet sharing() {
    List<Scene> scenes = scenes();
    for (int n : processes) {
      scenes.add(new Scene(n, keys, 100 * keys, /* callers= */ 1, /* notifies= */ true, seed));
    }
    List<Sheet.Row> rows = new ArrayList<>();
    Map<String, List<double[]>> courses = new LinkedHashMap<>();
    for (Scene scene : scenes) {
      Found found = new ModelFleet(scene).play();
      rows.add(row(scene, found));
      if (scene.keys() == 1) {
        String name = String.format(Locale.ROOT, "%,d processes, %s", scene.processes(), backlog(scene));
        courses
            .computeIfAbsent(name, course -> new ArrayList<>())
            .add(new double[] {scene.perSecond(), found.statements()});
      }
    }
    List<Sheet.Curve> curves = new ArrayList<>();
    courses.forEach((name, points) -> curves.add(new Sheet.Curve(name, "slots/s", "statements/s", points)));
    return new Sheet("scale-sharing", "Many processes share a pace, simulated", conditions(), SHARING, rows, curves);
  }

  private static String backlog(Scene scene) {
    return scene.callers() == FEW ? FEW + " callers each" : "a second's worth of callers";
  }

  /** Each with few callers, and with so many that they would all be served within a second. */
  private List<Scene> scenes() {
    List<Scene> scenes = new ArrayList<>();
    for (int n : processes) {
      for (int rate : rates) {
        IntStream.of(FEW, Math.max(FEW, rate / n))
            .distinct()
            .forEach(callers -> scenes.add(new Scene(n, /* keys= */ 1, rate, callers, /* notifies= */ true, seed)));
      }
    }
    return scenes;
  }

  private static Sheet.Row row(Scene scene, Found found) {
    return Accuracy.row(scene.toString(), SHARING,
        found.departures(),
        found.statements(),
        found.steps(),
        found.statements() / scene.processes(),
        found.shares().jain(),
        found.shares().leastToMost(),
        found.waits().getValueAtPercentile(50) / 1e6,
        found.waits().getValueAtPercentile(99) / 1e6,
        found.degraded());
  }

  private Sheet stopping() {
    List<Sheet.Row> rows = new ArrayList<>();
    for (Scene scene : scenes()) {
      List<Stopped> told = stops(scene, /* notifies= */ true);
      List<Stopped> untold = stops(scene, /* notifies= */ false);
      Map<String, Sheet.Figure> figures = new LinkedHashMap<>();
      figures.put(STOPPING.get(0), figure(told, stop -> stop.nanos() / 1e6));
      figures.put(STOPPING.get(1), figure(told, Stopped::departures));
      figures.put(STOPPING.get(2), figure(untold, stop -> stop.nanos() / 1e6));
      figures.put(STOPPING.get(3), figure(untold, Stopped::departures));
      rows.add(new Sheet.Row(scene.toString(), figures));
    }
    return new Sheet(
        "scale-stopping", "From a vendor's refusal to the last dispatch, simulated", conditions(), STOPPING, rows, List.of());
  }

  private static List<Stopped> stops(Scene scene, boolean notifies) {
    return LongStream.range(0, STOPS)
        .mapToObj(i -> new ModelFleet(scene.another(notifies, scene.seed() + i)).stop())
        .toList();
  }

  private static Sheet.Figure figure(List<Stopped> stops, ToDoubleFunction<Stopped> what) {
    return Sheet.Figure.of(stops.stream().mapToDouble(what).toArray());
  }

  private Map<String, String> conditions() {
    Map<String, String> conditions = Conditions.here();
    conditions.put("time", "virtual, timers are exact, all clocks agree");
    conditions.put("round trip", ModelDatabase.ROUND_TRIP.toNanos() / 1e6 + " ms ± 10 %");
    conditions.put(
        "statement",
        "keeps its row for " + ModelDatabase.SERVICE.toNanos() / 1e3 + " µs, and "
            + ModelDatabase.FURTHER_KEY.toNanos() / 1e3 + " µs for each further key; one at a time per row and per process");
    conditions.put(
        "notification",
        "after " + ModelDatabase.SOONEST_NOTICE.toMillis() + " to " + ModelDatabase.LATEST_NOTICE.toMillis() + " ms");
    conditions.put("callers", "come back at once; the single one now and then, and is none of them");
    conditions.put("quantum", "100 ms, burst 1");
    conditions.put("seed", Long.toString(seed));
    return conditions;
  }
}
