package dev.pacer;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * A lane's one timer. It may ring too early, for what has been called off meanwhile, but never too late. For the
 * lane's steps, but for the ringing.
 */
final class Alarm {

  private final Scheduler timer;
  private final Runnable wake;
  private volatile boolean rang;
  private @Nullable Disposable armed;
  private long at;

  Alarm(Scheduler timer, Runnable wake) {
    this.timer = timer;
    this.wake = wake;
  }

  /** Forgets that it has rung. */
  void heard() {
    if (rang) {
      rang = false;
      armed = null;
    }
  }

  /** Rings then, or before. */
  void set(long time, long now) {
    if (armed != null && at - time <= 0) {
      return; // the lane will look again when it rings
    }
    off();
    at = time;
    armed = timer.schedule(this::ring, Math.max(0, time - now), TimeUnit.NANOSECONDS);
  }

  private void ring() {
    rang = true;
    wake.run();
  }

  void off() {
    if (armed != null) {
      armed.dispose();
    }
  }
}
