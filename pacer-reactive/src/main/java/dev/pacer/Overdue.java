package dev.pacer;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import reactor.core.scheduler.Scheduler;

/**
 * Rings for questions that are not answered in time, with one timer however many there are. When it rings late itself,
 * the process was stopped, and answers may lie about: they get a moment to be read. Thread-safe.
 */
final class Overdue {

  private final long limit;
  private final LongSupplier clock;
  private final Scheduler timer;
  private final Queue<Question> asked = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean armed = new AtomicBoolean();
  private volatile long ringsAt;
  private boolean excused; // touched by the timer alone

  Overdue(long limitNanos, LongSupplier clock, Scheduler timer) {
    this.limit = limitNanos;
    this.clock = clock;
    this.timer = timer;
  }

  /** Somebody waits for an answer. */
  interface Question {
    long askedAt();

    boolean isAnswered();

    void overdue();
  }

  void watch(Question question) {
    asked.add(question);
    forgetAnswered();
    arm(limit);
  }

  private void forgetAnswered() {
    for (Question oldest = asked.peek(); oldest != null && oldest.isAnswered(); oldest = asked.peek()) {
      asked.remove(oldest);
    }
  }

  private void arm(long nanos) {
    if (armed.compareAndSet(false, true)) {
      try {
        ringsAt = clock.getAsLong() + nanos;
        timer.schedule(this::ring, nanos, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException disposed) { // whoever disposed of it ends the calls too
        armed.set(false);
      }
    }
  }

  private void ring() {
    excused = !excused && clock.getAsLong() - ringsAt > limit / 4;
    armed.set(false);
    if (excused) {
      arm(limit / 4);
      return;
    }
    for (Question oldest = asked.peek(); oldest != null; oldest = asked.peek()) {
      long left = oldest.askedAt() + limit - clock.getAsLong();
      if (!oldest.isAnswered() && left > 0) {
        arm(left);
        return;
      }
      asked.remove(oldest);
      if (!oldest.isAnswered()) {
        oldest.overdue();
      }
    }
  }
}
