package dev.pacer.benchmarks;

import java.time.Duration;
import java.util.random.RandomGenerator;
import java.util.stream.DoubleStream;

/** When calls arrive that know nothing of one another: a Poisson process, in which many often come close together. */
final class Arrivals {

  private Arrivals() {}

  /** In nanoseconds from the beginning, ascending. Summed as doubles, so the rate does not drift by rounding. */
  static long[] within(Duration length, double perSecond, RandomGenerator random) {
    if (!(perSecond > 0)) {
      throw new IllegalArgumentException("perSecond must be positive, was " + perSecond);
    }
    double meanGap = 1e9 / perSecond;
    return DoubleStream.iterate(gap(meanGap, random), at -> at + gap(meanGap, random))
        .takeWhile(at -> at < length.toNanos())
        .mapToLong(at -> (long) at)
        .toArray();
  }

  private static double gap(double mean, RandomGenerator random) {
    return -mean * Math.log(1 - random.nextDouble()); // never the logarithm of zero
  }
}
