package dev.pacer;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A ceiling on the dispatches of a key: {@code permits} per {@code period}, with a burst and a headroom.
 *
 * <p>The ceiling is a hard window: in any half-open window as long as the period there are at most {@code
 * permits} slots, however they fall, burst included. So the interval between slots is {@code period ÷
 * (permits × (1 − headroom) − burst + 1)}. Without a burst that is the plain {@code period ÷ permits}.
 *
 * <p>The interval is rounded up, to 1/256 of a nanosecond: a pace may fall short of its ceiling by less than
 * one part in 100 000, and never exceeds it.
 *
 * <p>Immutable and thread-safe.
 */
public final class Pace {

  private static final Duration FASTEST = Duration.ofNanos(1_000);
  private static final Duration SLOWEST = Duration.ofDays(366);

  private final double permits;
  private final Duration period;
  private final int burst;
  private final double headroom;
  private final Gcra gcra;

  private Pace(double permits, Duration period, int burst, double headroom) {
    this.permits = permits;
    this.period = period;
    this.burst = burst;
    this.headroom = headroom;
    require(permits > 0 && permits <= Double.MAX_VALUE, "permits must be positive and finite, was ", permits);
    require(
        !period.isNegative() && !period.isZero() && period.compareTo(SLOWEST) <= 0,
        "period must be positive and at most " + SLOWEST + ", was ",
        period);
    require(burst >= 1, "burst must be at least 1, was ", burst);
    require(headroom >= 0 && headroom < 1, "headroom must be at least 0 and below 1, was ", headroom);
    BigDecimal nanos = nanos(period);
    BigDecimal granted = new BigDecimal(permits).multiply(BigDecimal.ONE.subtract(BigDecimal.valueOf(headroom)));
    require(
        nanos.compareTo(new BigDecimal(permits).multiply(nanos(FASTEST))) >= 0,
        "pace must be at most 1000000 per second, was ",
        permits + " per " + period);
    require(
        burst == 1 || granted.compareTo(BigDecimal.valueOf(burst)) >= 0,
        "burst must be at most the permits per period less the headroom (" + granted.stripTrailingZeros().toPlainString()
            + "), was ",
        burst);
    BigDecimal slots = granted.subtract(BigDecimal.valueOf(burst - 1L));
    BigDecimal interval = interval(nanos, slots);
    if (burst > 1 && interval.remainder(BigDecimal.valueOf(Gcra.FRACTION)).signum() != 0) {
      // the burst's tolerance is rounded up to the nanosecond, which the window must not feel
      interval = interval(nanos.add(BigDecimal.ONE), slots);
    }
    require(
        interval.multiply(BigDecimal.valueOf(burst)).compareTo(nanos(SLOWEST).multiply(BigDecimal.valueOf(Gcra.FRACTION)))
            <= 0,
        "pace must be at least one per " + SLOWEST + ", its burst included, was ",
        this);
    this.gcra = new Gcra(interval.longValueExact(), burst);
  }

  /**
   * So many permits per period.
   *
   * @param permits positive; may be fractional, and below one
   * @param period positive, at most 366 days
   * @throws IllegalArgumentException if the pace is faster than 1 000 000 per second or slower than one per
   *     366 days
   */
  public static Pace of(double permits, Duration period) {
    if (period == null) {
      throw new IllegalArgumentException("period must not be null");
    }
    return new Pace(permits, period, 1, 0);
  }

  /** So many permits per second; see {@link #of}. */
  public static Pace perSecond(double permits) {
    return of(permits, Duration.ofSeconds(1));
  }

  /** So many permits per minute; see {@link #of}. */
  public static Pace perMinute(double permits) {
    return of(permits, Duration.ofMinutes(1));
  }

  /** So many permits per hour; see {@link #of}. */
  public static Pace perHour(double permits) {
    return of(permits, Duration.ofHours(1));
  }

  /** So many permits per 24 hours; see {@link #of}. */
  public static Pace perDay(double permits) {
    return of(permits, Duration.ofDays(1));
  }

  /**
   * The same pace with another burst: how many permits an idle key may spend at once. The interval grows so
   * that the window still holds.
   *
   * @param burst at least 1 (the default) and at most the permits per period, less the headroom
   */
  public Pace burst(int burst) {
    return new Pace(permits, period, burst, headroom);
  }

  /**
   * The same pace with a part of it left unused, for vendors that count on arrival, where network delay
   * bunches what was sent evenly.
   *
   * @param headroom the part, from 0 (the default) to below 1; 0.1 paces to 10 % fewer
   */
  public Pace headroom(double headroom) {
    return new Pace(permits, period, burst, headroom);
  }

  /** Permits per {@link #period()}. */
  public double permits() {
    return permits;
  }

  public Duration period() {
    return period;
  }

  public int burst() {
    return burst;
  }

  public double headroom() {
    return headroom;
  }

  /** The distance between two slots, rounded up to the nanosecond. */
  public Duration interval() {
    return Duration.ofNanos(gcra.advance(1));
  }

  Gcra gcra() {
    return gcra;
  }

  private static BigDecimal interval(BigDecimal nanos, BigDecimal slots) {
    return nanos.multiply(BigDecimal.valueOf(Gcra.FRACTION)).divide(slots, 0, RoundingMode.CEILING);
  }

  private static BigDecimal nanos(Duration duration) {
    return BigDecimal.valueOf(duration.getSeconds())
        .movePointRight(9)
        .add(BigDecimal.valueOf(duration.getNano()));
  }

  private static void require(boolean holds, String rule, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + value);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Pace that
        && permits == that.permits
        && period.equals(that.period)
        && burst == that.burst
        && headroom == that.headroom;
  }

  @Override
  public int hashCode() {
    return Objects.hash(permits, period, burst, headroom);
  }

  @Override
  public String toString() {
    return BigDecimal.valueOf(permits).stripTrailingZeros().toPlainString()
        + " per "
        + period
        + (burst == 1 ? "" : ", burst " + burst)
        + (headroom == 0 ? "" : ", headroom " + headroom);
  }
}
