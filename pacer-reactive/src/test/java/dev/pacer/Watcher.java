package dev.pacer;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Somebody who waits for a gate to open: how that ended, and when by the pacer's clock. */
final class Watcher extends BaseSubscriber<Void> {

  private final Scheduler clock;
  @Nullable Throwable error;

  /** When it ended, or -1 while it waits. */
  long at = -1;

  private Watcher(Scheduler clock) {
    this.clock = clock;
  }

  static Watcher of(Mono<Void> opening, Scheduler clock) {
    Watcher watcher = new Watcher(clock);
    opening.subscribe(watcher);
    return watcher;
  }

  boolean waits() {
    return at < 0;
  }

  boolean completed() {
    return at >= 0 && error == null;
  }

  @Override
  protected void hookOnComplete() {
    at = clock.now(TimeUnit.NANOSECONDS);
  }

  @Override
  protected void hookOnError(Throwable throwable) {
    error = throwable;
    at = clock.now(TimeUnit.NANOSECONDS);
  }
}
