package dev.pacer;

import java.util.List;
import java.util.Optional;

/**
 * Checks P1 on a time line of permits: in any half-open window of length W at most {@code ⌈W/T⌉ + B − 1}.
 *
 * <p>That is so for all windows if and only if the time line conforms to GCRA with exact arithmetic, so one pass
 * is enough. {@link #bruteForce} counts all windows instead, to check the checker.
 */
final class Window {

  private Window() {}

  /**
   * One dispatch.
   *
   * @param at when, in nanoseconds
   * @param permits what it cost
   */
  record Spent(long at, long permits) {}

  /** The first violation, in words; {@code late} is how late a release may be, in nanoseconds. */
  static Optional<String> violation(List<Spent> line, Gcra gcra, long late) {
    long next = Long.MIN_VALUE; // in 256ths of a nanosecond
    for (int i = 0; i < line.size(); i++) {
      Spent spent = line.get(i);
      long at = spent.at() * Gcra.FRACTION;
      long start = Math.max(at, next);
      long due = start + (spent.permits() - gcra.burst()) * gcra.interval() - late * Gcra.FRACTION;
      if (due > at) {
        return Optional.of(
            "dispatch " + i + " of " + spent + " came " + (due - at) / (double) Gcra.FRACTION + " ns too early");
      }
      next = start + spent.permits() * gcra.interval();
    }
    return Optional.empty();
  }

  static Optional<String> bruteForce(List<Spent> line, Gcra gcra, long late) {
    for (int i = 0; i < line.size(); i++) {
      long permits = 0;
      for (int j = i; j < line.size(); j++) {
        permits += line.get(j).permits();
        long length = (line.get(j).at() - line.get(i).at() + late) * Gcra.FRACTION;
        if (permits > Math.floorDiv(length, gcra.interval()) + gcra.burst()) {
          return Optional.of(permits + " permits from " + line.get(i) + " to " + line.get(j));
        }
      }
    }
    return Optional.empty();
  }

  /** The most permits in any half-open window of this length. */
  static long most(List<Spent> line, long length) {
    long most = 0;
    long inside = 0;
    int first = 0;
    for (Spent spent : line) {
      inside += spent.permits();
      while (spent.at() - line.get(first).at() >= length) {
        inside -= line.get(first).permits();
        first++;
      }
      most = Math.max(most, inside);
    }
    return most;
  }
}
