package dev.pacer.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * What one contender did in a few seconds.
 *
 * @param perSecond reservations
 * @param latency of one reservation as its caller sees it, in nanoseconds
 * @param visitsPerReservation how often the store was visited; not a number if unknown
 * @param roundTripsPerReservation counted by a proxy; not a number where there is none
 * @param most what was held at its peak
 * @param degraded how often the contender gave up the store for a while: such a turn says nothing
 * @param load the machine's load average over a minute, whoever caused it
 */
record Turn(
    double perSecond,
    Histogram latency,
    double visitsPerReservation,
    double roundTripsPerReservation,
    Watch.Seen most,
    int degraded,
    double load) {

  private static final Duration WARM_UP = Duration.ofSeconds(1);

  static Turn play(Contender contender, Watch watch, int seconds) throws Exception {
    try (Contender.Match match = contender.open()) {
      ClosedLoop loop = ClosedLoop.start(match, contender.callers());
      Thread.sleep(WARM_UP.toMillis());
      double visits = match.visits();
      double roundTrips = match.roundTrips();
      long served = loop.served();
      long start = System.nanoTime();
      loop.measure(true);
      Watch.Seen most = watch.watch(match, TimeUnit.SECONDS.toNanos(seconds));
      loop.measure(false);
      long nanos = System.nanoTime() - start;
      served = loop.served() - served;
      visits = match.visits() - visits;
      roundTrips = match.roundTrips() - roundTrips;
      double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
      loop.stop();
      return new Turn(
          served * 1e9 / nanos,
          loop.latency(),
          visits / served,
          roundTrips / served,
          most,
          match.degraded(),
          load);
    } catch (IllegalStateException e) {
      throw new IllegalStateException(contender.name(), e);
    }
  }

  /** Alive at most, of the whole process. */
  int threads() {
    return most.threads();
  }
}
