package dev.pacer.http;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Threads whose timers a test can count. */
final class Timers extends ScheduledThreadPoolExecutor {

  private final AtomicLong longest = new AtomicLong();

  Timers() {
    super(2);
    setRemoveOnCancelPolicy(true);
  }

  /** How many are armed at the moment. */
  int armed() {
    return getQueue().size();
  }

  /** The longest time that one was ever armed for. */
  Duration longest() {
    return Duration.ofNanos(longest.get());
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    longest.accumulateAndGet(unit.toNanos(delay), Math::max);
    return super.schedule(task, delay, unit);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    longest.accumulateAndGet(unit.toNanos(delay), Math::max);
    return super.schedule(task, delay, unit);
  }
}
