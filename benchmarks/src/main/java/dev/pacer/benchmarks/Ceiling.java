package dev.pacer.benchmarks;

import dev.pacer.Pace;

/** The ceiling of whoever is not meant to wait: the fastest that pacer knows. */
final class Ceiling {

  static final int PER_SECOND = 1_000_000;

  /** Above any number of callers here, below what would make a difference to the interval. */
  private static final int BURST = 1_000;

  private Ceiling() {}

  static Pace pace() {
    return Pace.perSecond(PER_SECOND);
  }

  /**
   * The same, where as many as there are callers may go in the same microsecond: without a burst the last of 500 calls
   * that come together has to wait for 500 µs, because that is the pace.
   */
  static Pace generous() {
    return pace().burst(BURST);
  }
}
