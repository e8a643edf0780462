package dev.pacer.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.HdrHistogram.Histogram;

/** Results such as the programs have, though nobody measured them. */
final class Samples {

  private static final List<String> CASES =
      List.of(
          "pacer, hot key, 1 caller",
          "pacer, hot key, 500 callers",
          "pacer, 1 000 keys, 500 callers",
          "Bucket4j, hot key, 32 callers on 20 threads",
          "Bucket4j batching, hot key, 500 callers on 500 threads",
          "Bucket4j batching, 1 000 keys, 500 callers on 500 threads",
          "Redisson, hot key, 500 callers");

  private static final double[] RATES = {6_323, 602_256, 48_711, 6_336, 57_783, 11_456, 9_100};

  private Samples() {}

  static List<Sheet> all() {
    return List.of(throughput(), latency(), accuracy(), scale());
  }

  static Sheet throughput() {
    Random random = new Random(1);
    List<Sheet.Row> rows = new ArrayList<>();
    List<Sheet.Curve> curves = new ArrayList<>();
    for (int i = 0; i < RATES.length; i++) {
      double rate = RATES[i];
      Map<String, Sheet.Figure> figures = new LinkedHashMap<>();
      figures.put("reservations/s", Sheet.Figure.of(rate * 0.7, rate, rate * 1.2));
      figures.put("p50 ms", Sheet.Figure.of(400 / Math.sqrt(rate)));
      figures.put("live threads", Sheet.Figure.of(i < 3 ? 16 : 517));
      rows.add(new Sheet.Row(CASES.get(i), figures));
      Histogram nanos = new Histogram(3);
      for (int n = 0; n < 20_000; n++) {
        nanos.recordValue((long) (4e8 / Math.sqrt(rate) * Math.exp(random.nextGaussian())));
      }
      curves.add(Sheet.Curve.ofNanos(CASES.get(i), nanos, "latency, ms", 1e6));
    }
    return sheet("throughput-loopback", "Reservations per second, closed loop, loopback",
            List.of("reservations/s", "p50 ms", "live threads"), rows, curves)
        .with(Goal.atLeast("hot key, 500 callers, reservations/s:", 500_000, 602_256))
        .with(Goal.atLeast("1 000 keys, 500 callers, reservations/s:", 100_000, 48_711));
  }

  static Sheet latency() {
    List<Sheet.Row> rows = List.of(
        new Sheet.Row("driver, `SELECT $1`", Map.of("p50 µs", Sheet.Figure.of(71, 75, 80))),
        new Sheet.Row("**pacer**", Map.of("p50 µs", Sheet.Figure.of(138, 142, 151))),
        new Sheet.Row("<Bucket4j> & \"co\"", Map.of("p50 µs", Sheet.Figure.of(70, 73, 92))));
    return sheet("side-by-side-loopback", "One caller who need not wait, loopback", List.of("p50 µs"), rows, List.of());
  }

  static Sheet accuracy() {
    List<double[]> sparse = new ArrayList<>();
    List<double[]> dense = new ArrayList<>();
    Random random = new Random(2);
    for (int i = 0; i < 600; i++) {
      double jitter = random.nextDouble() * 0.01;
      sparse.add(new double[] {i / 7.0 + jitter, 1 + i % 3});
      dense.add(new double[] {i / 100.0 + jitter / 10, 1 + random.nextInt(3)});
    }
    return sheet("accuracy-processes", "Three processes, one pace", List.of("peak in a second"),
        List.of(new Sheet.Row("7/s", Map.of("peak in a second", Sheet.Figure.of(7))),
            new Sheet.Row("100/s", Map.of("peak in a second", Sheet.Figure.of(100)))),
        List.of(
            new Sheet.Curve("time line, 7/s", "seconds", "process", sparse.subList(0, 42)),
            new Sheet.Curve("time line, 100/s", "seconds", "process", dense)));
  }

  static Sheet scale() {
    List<Sheet.Curve> curves = new ArrayList<>();
    for (int processes : new int[] {10, 100, 1_000}) {
      List<double[]> points = new ArrayList<>();
      for (double rate = 10; rate <= 1e6; rate *= 10) {
        points.add(new double[] {rate, Math.min(rate, 22.0 * processes)});
      }
      curves.add(new Sheet.Curve(processes + " processes", "slots/s", "statements/s", points));
    }
    return sheet("scale-statements", "Statements, by simulation", List.of(), List.of(), curves);
  }

  private static Sheet sheet(
      String name, String title, List<String> columns, List<Sheet.Row> rows, List<Sheet.Curve> curves) {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("date", "2026-01-01T00:0" + name.length() % 10 + ":00Z");
    conditions.put("machine", "Linux amd64, a sample of a machine");
    conditions.put("processors", "2");
    conditions.put("JDK", "17.0.15+6");
    conditions.put("synchronous_commit", name.startsWith("scale") ? "n/a" : "off");
    conditions.put("rounds", name.length() + " of 3 s");
    return new Sheet(name, title, conditions, columns, rows, curves);
  }
}
