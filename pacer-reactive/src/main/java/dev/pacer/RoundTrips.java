package dev.pacer;

/**
 * Tells an answer that was merely slow from one that lay about while this process was stopped: it took a
 * quantum longer than the one before it, of any key. The first is believed. Thread-safe; a race costs at most
 * a slot.
 */
final class RoundTrips {

  private static final long UNKNOWN = Long.MAX_VALUE / 2;

  private final long quantum;
  private volatile long last = UNKNOWN;
  private volatile long stale = -1;

  RoundTrips(long quantum) {
    this.quantum = quantum;
  }

  /** By how much the slots of this answer may be overdue on arrival. */
  long age(long roundTrip) {
    if (roundTrip == stale) {
      return roundTrip; // to the nanosecond: another key's answer, in the same statement
    }
    long before = last;
    last = roundTrip;
    if (roundTrip <= quantum + before) {
      return 0;
    }
    stale = roundTrip;
    return roundTrip;
  }
}
