package dev.pacer.benchmarks;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** What is to be reached, in one place. Where a sheet has not the case, nothing is said. */
final class Goals {

  private static final String RATE = Throughput.RATE;
  private static final String ROUND_TRIPS = Throughput.ROUND_TRIPS;
  private static final String HOT = "pacer, hot key, 500 callers";
  private static final String MANY = "pacer, 1 000 keys, 500 callers";

  /** One each, and the few with which a process shows that it is alive. */
  private static final double ONE = 1.01;

  /** Bytes; what the collector makes of the rest of the process is about as much. */
  private static final double NOTHING = 8;

  private Goals() {}

  /** Those of the closed loop. */
  static Sheet ofThroughput(Sheet sheet, Terms terms) {
    return ofThroughput(sheet, terms.durable(), terms.roundTrip().toMillis());
  }

  static Sheet ofThroughput(Sheet sheet, boolean durable, long roundTripMillis) {
    Sheet all = atMost(sheet, "pacer, hot key, 1 caller", ROUND_TRIPS, ONE);
    all = atMost(all, HOT, ROUND_TRIPS, 0.02);
    if (durable) {
      return all; // how fast is then decided by the disk
    }
    if (roundTripMillis <= 1) {
      all = atLeast(all, HOT, RATE, roundTripMillis == 0 ? 500_000 : 200_000);
    }
    if (roundTripMillis == 0) {
      all = atLeast(all, MANY, RATE, 100_000);
    }
    all = timesTheBest(all, HOT, "Bucket4j batching, hot key, 500");
    return timesTheBest(all, MANY, "Bucket4j, 1 000 keys, 500");
  }

  /**
   * Those of one caller who need not wait.
   *
   * @param ratio the column that has pacer's time in parts of another's
   */
  static Sheet ofOneCaller(Sheet sheet, boolean durable, String ratio) {
    Optional<Sheet.Figure> driver = sheet.figure("driver, `SELECT $1`", ratio);
    Optional<Sheet.Figure> rival = sheet.figure("Bucket4j", ratio);
    Sheet all = sheet;
    if (driver.isPresent() && !durable) { // which costs a read nothing
      all = all.with(Goal.atMost("pacer's p50 ÷ the driver's:", 2, driver.get().median()));
    }
    return rival.isEmpty() ? all : all.with(Goal.atLeast("Bucket4j's p50 ÷ pacer's:", 3, 1 / rival.get().median()));
  }

  /** Those of calls that wait. */
  static Sheet ofWaiting(Sheet sheet) {
    return atMost(sheet, "pacer, 1 key, 1,000,000 calls", "bytes a call", 200);
  }

  /** Those of calls that arrive at random. */
  static Sheet ofOpenLoop(Sheet sheet) {
    return atMost(atMost(sheet, "pacer", "p50 ms", 0.5), "pacer", "p99 ms", 2.5);
  }

  /** Those beside an old snapshot. */
  static Sheet ofOldSnapshot(Sheet sheet) {
    return atLeast(sheet, "pacer, old snapshot", "reservations/s, last tenth", 20_000);
  }

  /** Those of departures. */
  static Sheet ofAccuracy(Sheet sheet) {
    Sheet all = sheet;
    for (String who : List.of("in memory, 1,000/s", "PostgreSQL, 1,000/s")) {
      all = atMost(atMost(all, who, "slot p50 ms", 0.5), who, "slot p99 ms", 2);
    }
    for (String who : List.of("8 callers of one process", "8 processes, a caller each")) {
      all = atMost(all, who, Coordination.OVER, 0.1);
    }
    return all;
  }

  /** Those of one fast key, where as many wait as a quantum has slots. */
  static Sheet ofStatements(Sheet sheet) {
    return atMost(sheet, "200,000 callers", "statements/s", 50);
  }

  /** Those of keys that nobody uses any more. */
  static Sheet ofIdleKeys(Sheet sheet) {
    String others = "bytes a key of as many others when idle";
    return atMost(atMost(sheet, "in memory", others, NOTHING), "PostgreSQL", others, NOTHING);
  }

  /** Those of many processes. */
  static Sheet ofScale(Sheet sheet) {
    return atMost(sheet, "1 process, 1,000,000/s, 100,000 callers", "statements/s", 50);
  }

  private static Sheet atLeast(Sheet sheet, String row, String column, double goal) {
    return sheet.figure(row, column)
        .map(found -> sheet.with(Goal.atLeast(what(row, column), goal, found.median())))
        .orElse(sheet);
  }

  private static Sheet atMost(Sheet sheet, String row, String column, double goal) {
    return sheet.figure(row, column)
        .map(found -> sheet.with(Goal.atMost(what(row, column), goal, found.median())))
        .orElse(sheet);
  }

  private static String what(String row, String column) {
    return row + ", " + column + ":";
  }

  /** Ten times as fast as the fastest of those rivals. */
  private static Sheet timesTheBest(Sheet sheet, String row, String rivals) {
    OptionalDouble best =
        sheet.rows().stream()
            .filter(one -> one.name().startsWith(rivals))
            .flatMap(one -> sheet.figure(one.name(), RATE).stream())
            .mapToDouble(Sheet.Figure::median)
            .max();
    Optional<Sheet.Figure> own = sheet.figure(row, RATE);
    if (best.isEmpty() || own.isEmpty()) {
      return sheet;
    }
    String what = row + " ÷ the fastest of \"" + rivals + "\", " + RATE + ":";
    return sheet.with(Goal.atLeast(what, 10, own.get().median() / best.getAsDouble()));
  }
}
