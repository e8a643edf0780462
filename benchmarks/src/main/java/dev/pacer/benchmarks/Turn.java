package dev.pacer.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What one contender did in a few seconds.
 *
 * @param perSecond reservations
 * @param latency of one reservation as its caller sees it, in nanoseconds
 * @param visitsPerReservation how often the database was visited
 * @param threads live threads of the process in the middle of it
 * @param load the machine's load average over a minute, whoever caused it
 */
record Turn(double perSecond, Histogram latency, double visitsPerReservation, int threads, double load) {

  private static final Duration WARM_UP = Duration.ofSeconds(1);

  static Turn play(Contender contender, int seconds) throws Exception {
    try (Contender.Match match = contender.open()) {
      Phases phases = new Phases(contender.callers());
      List<Caller> callers = Stream.generate(() -> new Caller(phases)).limit(contender.callers()).toList();
      callers.forEach(caller -> caller.start(match));
      Thread.sleep(WARM_UP.toMillis());
      long visits = match.visits();
      long start = System.nanoTime();
      phases.measuring = true;
      Thread.sleep(seconds * 500L);
      int threads = Throughput.liveThreads();
      Thread.sleep(seconds * 500L);
      phases.measuring = false;
      long nanos = System.nanoTime() - start;
      visits = match.visits() - visits;
      double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
      phases.over = true;
      phases.callers.await();
      if (phases.failure != null) {
        throw new IllegalStateException(contender.name(), phases.failure);
      }
      Histogram latency = new Histogram(2);
      callers.forEach(caller -> latency.add(caller.latency));
      long count = latency.getTotalCount();
      return new Turn(count * 1e9 / nanos, latency, (double) visits / count, threads, load);
    }
  }

  private static final class Phases {

    final CountDownLatch callers;
    volatile boolean measuring;
    volatile boolean over;
    volatile @Nullable Throwable failure;

    Phases(int callers) {
      this.callers = new CountDownLatch(callers);
    }
  }

  /** Reserves again and again. Its calls follow one another, on whatever thread, so the histogram is its own. */
  private static final class Caller {

    private final Phases phases;
    private final Histogram latency = new Histogram(1_000, Duration.ofMinutes(1).toNanos(), 2);

    Caller(Phases phases) {
      this.phases = phases;
    }

    void start(Contender.Match match) {
      Mono.defer(
              () -> {
                long since = System.nanoTime();
                return match.reserve().doOnSuccess(done -> served(since));
              })
          .repeat(() -> !phases.over)
          .doFinally(signal -> phases.callers.countDown())
          .subscribe(done -> {}, failure -> phases.failure = failure);
    }

    private void served(long since) {
      if (phases.measuring) {
        latency.recordValue(System.nanoTime() - since);
      }
    }
  }
}
