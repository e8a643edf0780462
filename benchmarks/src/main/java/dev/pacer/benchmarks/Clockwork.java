package dev.pacer.benchmarks;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.PacerListener;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** A way to let many calls wait, each for a moment of its own, with the same time in between. */
interface Clockwork extends AutoCloseable {

  /** Ends when the moment of the n-th call has come. */
  Mono<?> call(int n);

  /** The n-th call goes on. */
  default void wentOn(int n) {}

  /** Returns when so many cancelled calls are really gone. */
  default void awaitGone(int calls) {}

  @Override
  void close();

  /** Starts one; {@code late} hears by how many nanoseconds a call went on behind its moment. */
  @FunctionalInterface
  interface Maker {
    Clockwork make(Duration interval, LongConsumer late);
  }

  /** Pacer with the calls spread over more and more keys. */
  static Map<String, Maker> pacers() {
    Map<String, Maker> all = new LinkedHashMap<>();
    all.put("pacer, 1 key", (interval, late) -> new OfPacer(interval, late, 1));
    all.put("pacer, 1 000 keys", (interval, late) -> new OfPacer(interval, late, 1_000));
    all.put("pacer, 50 000 keys", (interval, late) -> new OfPacer(interval, late, 50_000));
    return all;
  }

  static Map<String, Maker> timersPerCall() {
    Map<String, Maker> all = new LinkedHashMap<>();
    all.put(
        "`Mono.delay`, 2 threads", (interval, late) -> new Delay(interval, late, Schedulers.newParallel("delay", 2)));
    all.put("`Mono.delay`, 1 thread", (interval, late) -> new Delay(interval, late, Schedulers.newSingle("delay")));
    all.put("`HashedWheelTimer`, 1 ms", Wheel::new);
    return all;
  }

  /** Nobody's moment ever comes: what the callers cost by themselves. */
  final class Never implements Clockwork {

    @Override
    public Mono<?> call(int n) {
      return Mono.never();
    }

    @Override
    public void close() {}
  }

  /** Pacer: waiting calls in a queue per key, one timer per key. */
  final class OfPacer implements Clockwork {

    private final Pacer pacer;
    private final int keys;
    private final AtomicInteger cancelled = new AtomicInteger();

    OfPacer(Duration interval, LongConsumer late, int keys) {
      this.keys = keys;
      this.pacer =
          Pacer.builder()
              .defaultPace(Pace.of(1, interval.multipliedBy(keys)))
              .maxWait(Duration.ofDays(30))
              .listener(
                  new PacerListener() {
                    @Override
                    public void released(String key, Duration waited, Duration behind) {
                      late.accept(behind.toNanos());
                    }

                    @Override
                    public void cancelled(String key) {
                      cancelled.incrementAndGet();
                    }
                  })
              .build();
    }

    @Override
    public Mono<?> call(int n) {
      return pacer.reserve(keys == 1 ? "hot" : "key-" + n % keys);
    }

    /** Whoever works for a lane works off the cancelled calls, be it another thread. */
    @Override
    public void awaitGone(int calls) {
      while (cancelled.get() < calls) {
        Thread.onSpinWait();
      }
    }

    @Override
    public void close() {
      pacer.close();
      pacer.whenClosed().block();
    }
  }

  /** What all do that have a timer per call: the moments begin in a second, when all calls are there. */
  abstract class TimerPerCall implements Clockwork {

    private final long start = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    private final long interval;
    private final LongConsumer late;

    TimerPerCall(Duration interval, LongConsumer late) {
      this.interval = interval.toNanos();
      this.late = late;
    }

    final long nanosUntil(int n) {
      return start + n * interval - System.nanoTime();
    }

    @Override
    public final void wentOn(int n) {
      late.accept(-nanosUntil(n));
    }
  }

  /** A task per call on a scheduler. */
  final class Delay extends TimerPerCall {

    private final Scheduler timer;

    Delay(Duration interval, LongConsumer late, Scheduler timer) {
      super(interval, late);
      this.timer = timer;
    }

    @Override
    public Mono<?> call(int n) {
      return Mono.delay(Duration.ofNanos(nanosUntil(n)), timer);
    }

    @Override
    public void close() {
      timer.dispose();
    }
  }

  /** A timeout per call on a wheel, whose callers go on on another thread than the wheel's. */
  final class Wheel extends TimerPerCall {

    private final HashedWheelTimer wheel =
        new HashedWheelTimer(new DefaultThreadFactory("wheel", /* daemon= */ true), 1, TimeUnit.MILLISECONDS, 4_096);

    private final Scheduler callers = Schedulers.newParallel("callers", 2);

    Wheel(Duration interval, LongConsumer late) {
      super(interval, late);
    }

    @Override
    public Mono<?> call(int n) {
      return Mono.create(
          sink -> {
            Timeout timeout =
                wheel.newTimeout(
                    due -> callers.schedule(sink::success), Math.max(0, nanosUntil(n)), TimeUnit.NANOSECONDS);
            sink.onCancel(timeout::cancel);
          });
    }

    @Override
    public void close() {
      wheel.stop();
      callers.dispose();
    }
  }
}
