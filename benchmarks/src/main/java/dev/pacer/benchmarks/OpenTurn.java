package dev.pacer.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * What one contender did with calls that arrived whether or not those before them had been served.
 *
 * @param latency from the moment a call was to arrive until it was served, in nanoseconds
 * @param departure how late the calls were made, in nanoseconds: the machine's fault, and part of the latency all the same
 * @param degraded how often the contender gave up the store for a while: such a turn says nothing
 * @param load the machine's load average over a minute, whoever caused it
 */
record OpenTurn(Histogram latency, Histogram departure, int degraded, double load) {

  /** Not counted: the connections have to warm up. */
  static final Duration WARM_UP = Duration.ofSeconds(1);

  static final Duration LONGEST = Duration.ofMinutes(10);

  /** It takes about as long to wake up, so the last bit of a wait is not slept. */
  private static final long AWAKE = TimeUnit.MICROSECONDS.toNanos(100);

  /**
   * @param arrivals in nanoseconds from the beginning, ascending
   */
  static OpenTurn play(Contender contender, long[] arrivals) throws Exception {
    try (Contender.Match match = contender.open()) {
      Histogram latency = new ConcurrentHistogram(1_000, LONGEST.toNanos(), 3);
      Histogram departure = new Histogram(3);
      CountDownLatch running = new CountDownLatch(arrivals.length);
      AtomicReference<Throwable> failure = new AtomicReference<>();
      long start = System.nanoTime();
      for (long at : arrivals) {
        long intended = start + at;
        boolean counts = at >= WARM_UP.toNanos();
        await(intended);
        if (counts) {
          departure.recordValue(System.nanoTime() - intended);
        }
        match
            .reserve()
            .doFinally(signal -> running.countDown())
            .subscribe(
                done -> {
                  if (counts) {
                    latency.recordValue(System.nanoTime() - intended);
                  }
                },
                failure::set);
      }
      running.await();
      if (failure.get() != null) {
        throw new IllegalStateException(contender.name(), failure.get());
      }
      double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
      return new OpenTurn(latency, departure, match.degraded(), load);
    }
  }

  private static void await(long moment) {
    for (long left = moment - System.nanoTime(); left > 0; left = moment - System.nanoTime()) {
      if (left > AWAKE) {
        LockSupport.parkNanos(left - AWAKE);
      } else {
        Thread.onSpinWait();
      }
    }
  }
}
