package dev.pacer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.scheduler.Scheduler;

/** A call that waits at a gate: what it was told, and when by the pacer's clock. */
final class GateCall extends BaseSubscriber<Duration> {

  private final Scheduler clock;
  @Nullable Duration waited;
  @Nullable Throwable error;

  /** When it was let through or refused, or -1 while it waits. */
  long at = -1;

  GateCall(Scheduler clock) {
    this.clock = clock;
  }

  boolean waits() {
    return at < 0;
  }

  boolean passed() {
    return waited != null;
  }

  boolean failed() {
    return error != null;
  }

  RateLimitedException refusal() {
    if (error instanceof RateLimitedException refusal) {
      return refusal;
    }
    throw new AssertionError("was not refused: " + this, error);
  }

  @Override
  protected void hookOnNext(Duration value) {
    waited = value;
    at = clock.now(TimeUnit.NANOSECONDS);
  }

  @Override
  protected void hookOnError(Throwable throwable) {
    error = throwable;
    at = clock.now(TimeUnit.NANOSECONDS);
  }

  @Override
  public String toString() {
    return passed() ? "passed after " + waited : failed() ? "failed: " + error : "waits";
  }
}
