package dev.pacer.http;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Exceptions;

/**
 * Counts the outcomes of one run, and tells the listener: at every tick and at the end, one at a time, and nothing
 * after the end. Thread-safe.
 */
final class Tally {

  private static final Logger LOG = LoggerFactory.getLogger(Bulk.class);

  private final Bulk.Watch watch;
  private final OptionalLong total;
  private final Map<Outcome.State, LongAdder> counts = new EnumMap<>(Outcome.State.class);
  private final AtomicInteger telling = new AtomicInteger();
  private final Disposable ticks;
  private volatile boolean over;

  // these are touched only by who is telling
  private final Speed speed;
  private boolean toldAll;
  private boolean faultLogged;

  Tally(Bulk.Watch watch, OptionalLong total) {
    this.watch = watch;
    this.total = total;
    this.speed = new Speed(now());
    for (Outcome.State state : Outcome.State.values()) {
      counts.put(state, new LongAdder());
    }
    long every = watch.every().toNanos();
    this.ticks = watch.scheduler().schedulePeriodically(this::tell, every, every, TimeUnit.NANOSECONDS);
  }

  void count(Outcome<?, ?> outcome) {
    counts(outcome.state()).increment();
  }

  void end() {
    over = true;
    ticks.dispose();
    tell();
  }

  /** If somebody is telling already, it is told once more after that. */
  private void tell() {
    int seen = telling.incrementAndGet();
    if (seen > 1) {
      return;
    }
    while (seen != 0) {
      if (!toldAll) {
        toldAll = over;
        guarded();
      }
      seen = telling.addAndGet(-seen);
    }
  }

  private void guarded() {
    try {
      watch.listener().accept(progress());
    } catch (Throwable fault) {
      Exceptions.throwIfJvmFatal(fault);
      if (!faultLogged) {
        faultLogged = true;
        LOG.warn("A listener for progress failed; it is told on, and further faults of this run are not logged", fault);
      }
    }
  }

  private Progress progress() {
    long succeeded = counts(Outcome.State.SUCCEEDED).sum();
    long failed = counts(Outcome.State.FAILED).sum();
    long skipped = counts(Outcome.State.SKIPPED).sum();
    long done = succeeded + failed + skipped;
    Duration shut = watch.cooldownLeft().get();
    speed.sample(now(), done, !shut.isZero());
    Optional<Duration> eta = total.isEmpty() ? Optional.empty() : speed.eta(total.getAsLong() - done, shut);
    return new Progress(succeeded, failed, skipped, total, speed.perSecond(), eta, shut);
  }

  private LongAdder counts(Outcome.State state) {
    return Objects.requireNonNull(counts.get(state));
  }

  private long now() {
    return watch.scheduler().now(TimeUnit.NANOSECONDS);
  }
}
