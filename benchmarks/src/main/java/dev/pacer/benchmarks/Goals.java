package dev.pacer.benchmarks;

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
