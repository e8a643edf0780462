package dev.pacer;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread at a time work on a lane: whoever brings news signals, and the first to signal steps until
 * nobody has signalled since. So a step needs no lock, and nobody waits for one. Thread-safe.
 */
final class Steps {

  private static final int RETIRED = Integer.MIN_VALUE;

  private final Walker walker;
  private final Settings settings;
  private final Queue<Runnable> news = new ConcurrentLinkedQueue<>();
  private final AtomicInteger signals = new AtomicInteger();

  Steps(Walker walker, Settings settings) {
    this.walker = walker;
    this.settings = settings;
  }

  /** Who steps; by one thread at a time. */
  interface Walker {

    /** Looks at everything. Whether this caller, whose thread it is, has left. */
    boolean step(@Nullable Waiter caller);

    boolean mayRetire();

    /** No step follows. */
    void retire();
  }

  /** Does something in a step; false if the lane has retired. */
  boolean run(Runnable what) {
    news.add(what);
    return signal(null) || !news.remove(what); // somebody's last step may have done it
  }

  /** There is something to be looked at, for instance a call; false if the lane has retired. */
  boolean signal(@Nullable Waiter caller) {
    int before = signals.getAndIncrement();
    if (before == 0) {
      drain(caller);
    }
    return before >= 0;
  }

  boolean haveEnded() {
    return signals.get() < 0;
  }

  /** In a step: does what is to be done in it. */
  void hear() {
    for (Runnable next = news.poll(); next != null; next = news.poll()) {
      next.run();
    }
  }

  private void drain(@Nullable Waiter caller) {
    Waiter callerLeft = null;
    int seen = 1;
    do {
      callerLeft = step(caller) ? caller : callerLeft;
      if (walker.mayRetire() && signals.compareAndSet(seen, RETIRED)) {
        walker.retire();
        break;
      }
      seen = signals.addAndGet(-seen);
      if (seen != 0 && callerLeft != null) {
        settings.handover().add(callerLeft); // there is more to do here, and it need not wait for that
        settings.handover().start(settings);
        callerLeft = null;
      }
    } while (seen != 0);
    if (callerLeft != null) {
      callerLeft.handOver(settings); // it did not have to wait: it goes on where it is
    }
  }

  private boolean step(@Nullable Waiter caller) {
    boolean stepped = false;
    try {
      boolean callerLeft = walker.step(caller);
      stepped = true;
      return callerLeft;
    } finally {
      if (!stepped) { // a fault of the JVM: it must not keep everybody else out for ever
        signals.set(0);
        settings.timer().schedule(() -> signal(null), settings.quantum(), TimeUnit.NANOSECONDS);
      }
    }
  }
}
