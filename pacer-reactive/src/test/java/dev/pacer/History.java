package dev.pacer;

import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * What happens to some pacers that share a cursor.
 *
 * @param roundTripNanos how far away the cursor is
 */
record History(Limit limit, int pacers, long roundTripNanos, List<Event> events) {

  /** A pace, in whole numbers. */
  record Limit(int permits, long periodNanos, int burst) {
    Pace pace() {
      return Pace.of(permits, Duration.ofNanos(periodNanos)).burst(burst);
    }
  }

  /** What happens next: to which pacer, what, a number to choose details with, and the time that goes by before. */
  record Event(int pacer, int what, int pick, long after) {}

  static Arbitrary<History> any() {
    return limits().flatMap(History::of);
  }

  private static Arbitrary<Limit> limits() {
    Arbitrary<Integer> permits = Arbitraries.integers().between(1, 40);
    Arbitrary<Long> periods =
        Arbitraries.of(1_000_000L, 50_000_000L, 333_333_333L, 1_000_000_000L, 7_000_000_000L);
    return Combinators.combine(permits, periods, Arbitraries.integers().between(0, 39))
        .as((n, period, part) -> new Limit(n, period, 1 + part * (n - 1) / 39));
  }

  private static Arbitrary<History> of(Limit limit) {
    long interval = limit.pace().gcra().advance(1);
    Arbitrary<Long> after =
        Arbitraries.frequencyOf(
            Tuple.of(4, Arbitraries.just(0L)),
            Tuple.of(4, Arbitraries.longs().between(0, 2 * interval)),
            Tuple.of(1, Arbitraries.longs().between(0, 20 * interval)));
    Arbitrary<Integer> pacer = Arbitraries.integers().between(0, 3);
    Arbitrary<Integer> what = Arbitraries.integers().between(0, 99);
    Arbitrary<Event> event =
        Combinators.combine(pacer, what, Arbitraries.integers(), after).as(Event::new);
    Arbitrary<Long> roundTrip = Arbitraries.of(0L, 0L, 1_000_000L, 20_000_000L);
    return Combinators.combine(
            Arbitraries.integers().between(1, 4), roundTrip, event.list().ofMinSize(5).ofMaxSize(100))
        .as((pacers, away, events) -> new History(limit, pacers, away, events));
  }
}
