package dev.pacer.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Callers who reserve again as soon as they are served, until they are stopped. */
final class ClosedLoop {

  private final Contender.Match match;
  private final CountDownLatch running;
  private final LongAdder served = new LongAdder();
  private final List<Caller> callers;
  private volatile boolean measuring;
  /** One for all: one each would be more than the processor's caches hold. */
  private final Histogram latency = new ConcurrentHistogram(1_000, Duration.ofMinutes(1).toNanos(), 2);

  private volatile boolean over;
  private volatile @Nullable Throwable failure;

  private ClosedLoop(Contender.Match match, int callers) {
    this.match = match;
    this.running = new CountDownLatch(callers);
    this.callers = Stream.generate(Caller::new).limit(callers).toList();
  }

  static ClosedLoop start(Contender.Match match, int callers) {
    ClosedLoop loop = new ClosedLoop(match, callers);
    loop.callers.forEach(Caller::start);
    return loop;
  }

  /** Whether latencies are recorded from now on. */
  void measure(boolean whether) {
    measuring = whether;
  }

  /** How many reservations there have been, whether measured or not. */
  long served() {
    return served.sum();
  }

  /** Waits until each caller's last call has been served. */
  void stop() throws InterruptedException {
    over = true;
    running.await();
    if (failure != null) {
      throw new IllegalStateException("a call failed", failure);
    }
  }

  /** Of what was measured, in nanoseconds; after the {@link #stop}. */
  Histogram latency() {
    return latency.copy();
  }

  private final class Caller {

    void start() {
      Mono.defer(
              () -> {
                long since = System.nanoTime();
                return match.reserve().doOnSuccess(done -> served(since));
              })
          .repeat(() -> !over)
          .doFinally(signal -> running.countDown())
          .subscribe(done -> {}, error -> failure = error);
    }

    private void served(long since) {
      served.increment();
      if (measuring) {
        latency.recordValue(System.nanoTime() - since);
      }
    }
  }
}
