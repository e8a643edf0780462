package dev.pacer;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.scheduler.Scheduler;

/**
 * Lets callers go on, on the pacer's scheduler: never on the database driver's thread, on the timer's, or on
 * the stack of another caller.
 *
 * <p>Every task works on the one queue, so a caller that blocks its thread holds up its own task alone: the
 * rest goes on with the next one.
 */
final class Handover {

  private final Queue<Waiter> leaving = new ConcurrentLinkedQueue<>();
  private final AtomicInteger here = new AtomicInteger();
  private final AtomicBoolean standby = new AtomicBoolean();
  private final Scheduler scheduler;

  Handover(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  void add(Waiter waiter) {
    leaving.add(waiter);
  }

  void start(Settings settings) {
    standby.set(true);
    try {
      scheduler.schedule(() -> run(settings));
    } catch (RejectedExecutionException disposed) {
      runHere(settings); // a caller on the wrong thread is better than one that waits for ever
    }
  }

  /** In a loop and not on a stack of its own kind, and whoever throws must not reach the lane that is at work. */
  private void runHere(Settings settings) {
    int seen = here.incrementAndGet();
    if (seen > 1) {
      return; // whoever is at it looks again
    }
    do {
      for (Waiter waiter = leaving.poll(); waiter != null; waiter = leaving.poll()) {
        try {
          waiter.handOver(settings);
        } catch (Throwable thrown) {
          Thread thread = Thread.currentThread();
          thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
      }
      seen = here.addAndGet(-seen);
    } while (seen != 0);
  }

  private void run(Settings settings) {
    standby.set(false);
    for (Waiter waiter = leaving.poll(); waiter != null; waiter = leaving.poll()) {
      if (!leaving.isEmpty() && standby.compareAndSet(false, true)) {
        start(settings); // in case this caller blocks
      }
      boolean went = false;
      try {
        waiter.handOver(settings);
        went = true;
      } finally {
        if (!went && !leaving.isEmpty()) {
          start(settings); // a caller threw: the others still go on
        }
      }
    }
  }
}
