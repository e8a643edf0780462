package dev.pacer.benchmarks;

import dev.pacer.Pacer;
import java.io.IOException;
import java.util.ArrayList;
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
  private static final long LENGTH = 1_300_000_000;

  private static final List<String> COLUMNS =
      List.of("first call to last dispatch, over 1.000 s, %", "first to last dispatch, over 1.000 s, %");

  private final List<double[]> overs = new ArrayList<>();

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

  /** The first round opens the connections, and does not count. */
  private void add(int round, List<Departures> found) {
    TimeLine line = TimeLine.merge(found.stream().map(Departures::times).toList());
    if (line.size() != CALLS) {
      throw new IllegalStateException(line.size() + " of " + CALLS + " calls went on within their time");
    }
    if (round > 0) {
      long first = found.stream().mapToLong(Departures::subscribed).min().orElseThrow();
      long last = line.departures().get(CALLS - 1).at();
      overs.add(new double[] {percentOver(last - first), percentOver(line.length())});
    }
  }

  static double percentOver(long nanos) {
    return 100.0 * (nanos - CEILING) / CEILING;
  }

  private Sheet.Row row(String name) {
    return new Sheet.Row(name, Map.of(COLUMNS.get(0), over(0), COLUMNS.get(1), over(1)));
  }

  private Sheet.Figure over(int which) {
    return Sheet.Figure.of(overs.stream().mapToDouble(over -> over[which]).toArray());
  }
}
