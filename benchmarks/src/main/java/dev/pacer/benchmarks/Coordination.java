package dev.pacer.benchmarks;

import dev.pacer.Pacer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Eight acquisitions at 7/s, which the ceiling itself makes take a second: what they take beyond it. Timed from the
 * first call's subscription to the last one's going on, the first visit to the database included, and from the first
 * one's going on. Each round has a key of its own, which nobody has used before.
 */
final class Coordination {

  private static final int CALLS = 8;
  private static final double RATE = 7;
  private static final long CEILING = 1_000_000_000;
  private static final long NOTICE = 200_000_000;
  private static final long LENGTH = 1_500_000_000;

  /** What a caller sees, in percent over what the ceiling itself takes. */
  static final String OVER = "first call to last dispatch, over 1.000 s, %";

  private static final List<String> COLUMNS =
      List.of(OVER, "first to last dispatch, over 1.000 s, %", "rounds not ended", "times degraded");

  private final List<double[]> overs = new ArrayList<>();
  private int notEnded;
  private int degraded;

  private Coordination() {}

  static Sheet play(Database database, int rounds, Map<String, String> conditions) throws IOException {
    List<Sheet.Row> rows = new ArrayList<>();
    Departures.Watch watch = new Departures.Watch();
    Pacer pacer = Departing.pacer(Pacer.builder().cursor(database.cursor(/* durable= */ false).build()), watch);
    try (pacer) {
      Coordination callers = new Coordination();
      for (int round = 0; round <= rounds; round++) {
        callers.add(round, List.of(Departures.of(job("callers-" + round, CALLS), pacer, watch)));
      }
      rows.add(callers.row("8 callers of one process"));
    }
    pacer.whenClosed().block();
    try (Crew crew = new Crew(CALLS, database.url())) {
      Coordination processes = new Coordination();
      for (int round = 0; round <= rounds; round++) {
        processes.add(round, crew.play(job("processes-" + round, 1)));
      }
      rows.add(processes.row("8 processes, a caller each"));
    }
    return new Sheet("accuracy-coordination", "Eight acquisitions at 7/s", conditions, COLUMNS, rows, List.of());
  }

  private static Departures.Job job(String key, int calls) {
    long start = System.nanoTime() + NOTICE;
    return new Departures.Job(key, RATE, calls, start, start + LENGTH);
  }

  /** The first round is for the JVM to warm up. One in which the database was away long is left out, and counted. */
  private void add(int round, List<Departures> found) {
    TimeLine line = TimeLine.of(found);
    if (round > 0 && line.size() == CALLS) {
      long first = found.stream().mapToLong(Departures::subscribed).min().orElseThrow();
      long last = line.departures().get(CALLS - 1).at();
      overs.add(new double[] {percentOver(last - first), percentOver(line.length())});
    }
    notEnded += round > 0 && line.size() != CALLS ? 1 : 0;
    degraded += Departures.degraded(found);
  }

  static double percentOver(long nanos) {
    return 100.0 * (nanos - CEILING) / CEILING;
  }

  private Sheet.Row row(String name) {
    Map<String, Sheet.Figure> figures = new LinkedHashMap<>();
    for (int which = 0; which < 2 && !overs.isEmpty(); which++) {
      figures.put(COLUMNS.get(which), over(which));
    }
    figures.put(COLUMNS.get(2), Sheet.Figure.of((double) notEnded));
    figures.put(COLUMNS.get(3), Sheet.Figure.of((double) degraded));
    return new Sheet.Row(name, figures);
  }

  private Sheet.Figure over(int which) {
    return Sheet.Figure.of(overs.stream().mapToDouble(over -> over[which]).toArray());
  }
}
