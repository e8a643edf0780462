package dev.pacer.http;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;

/**
 * How long a vendor says to wait, counted from the arrival of the answer and rounded up to the millisecond.
 *
 * @param offset from the arrival to the moment named, within {@link #MAX}; negative if that moment is past
 * @param absolute whether a moment was named (a date, an epoch) and not a distance; both of the clocks compared
 *     then count whole seconds, so the figure may be a second short, and {@link #PAD} is due
 * @param guessed whether the unit was guessed by magnitude, or the clocks contradict each other; such a figure
 *     must not close a gate for long
 */
public record Figure(Duration offset, boolean absolute, boolean guessed) {

  /** No figure is longer; what is longer is this long. */
  public static final Duration MAX = Duration.ofDays(366);

  /** What an absolute figure is short of at most, because header dates have whole seconds. */
  public static final Duration PAD = Duration.ofSeconds(1);

  /** A moment that passed while the answer was under way is not a past one. */
  private static final Duration TRANSIT = Duration.ofSeconds(5);

  private static final BigDecimal MAX_MILLIS = BigDecimal.valueOf(MAX.toMillis());

  public Figure {
    if (offset.isNegative() && !absolute) {
      throw new IllegalArgumentException("a distance must not be negative, was " + offset);
    }
    if (offset.abs().compareTo(MAX) > 0) {
      throw new IllegalArgumentException("offset must be within " + MAX + ", was " + offset);
    }
  }

  /** A distance; what a cache has already waited is taken off. */
  static Figure in(BigDecimal millis, ServerTime time) {
    Duration left = saturated(millis).minus(time.age());
    return new Figure(left.isNegative() ? Duration.ZERO : left, /* absolute= */ false, /* guessed= */ false);
  }

  /** A moment, by the clock of the server. */
  static Figure at(Instant moment, ServerTime time) {
    Duration byServer = saturated(Duration.between(time.server(), moment));
    Duration byLocal = saturated(Duration.between(time.local(), moment));
    // one clock is wrong and the moment lies between them: nobody can say which, so the larger, as a guess
    boolean disputed = time.absurd() && byServer.isNegative() != byLocal.isNegative();
    Duration offset = disputed && byLocal.compareTo(byServer) > 0 ? byLocal : byServer;
    return new Figure(offset, /* absolute= */ true, disputed);
  }

  Figure asGuess() {
    return new Figure(offset, absolute, /* guessed= */ true);
  }

  /** How long to wait: never negative, at most {@link #MAX}, without {@link #PAD}. */
  public Duration waitNeeded() {
    return offset.isNegative() ? Duration.ZERO : offset;
  }

  /** Whether the moment named was over before the answer was sent, so that the figure says nothing. */
  public boolean past() {
    return offset.compareTo(TRANSIT.negated()) < 0;
  }

  /** Milliseconds, rounded up, and no more than {@link #MAX}. */
  static Duration saturated(BigDecimal millis) {
    return Duration.ofMillis(millis.min(MAX_MILLIS).setScale(0, RoundingMode.CEILING).longValueExact());
  }

  private static Duration saturated(Duration duration) {
    if (duration.abs().compareTo(MAX) > 0) {
      return duration.isNegative() ? MAX.negated() : MAX;
    }
    return Duration.ofMillis(Math.floorDiv(duration.plusNanos(999_999).toNanos(), 1_000_000));
  }
}
