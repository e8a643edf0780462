package dev.pacer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.scheduler.Scheduler;

/** One call: what it was told, and when by the pacer's clock. */
final class Caller extends BaseSubscriber<Duration> {

  private final Scheduler clock;
  private final boolean asks;

  @Nullable Duration waited;
  @Nullable Throwable error;

  /** When it was let through or refused, or -1 while it waits. */
  long at = -1;

  int signals;

  private Caller(Scheduler clock, boolean asks) {
    this.clock = clock;
    this.asks = asks;
  }

  static Caller of(Scheduler clock) {
    return new Caller(clock, /* asks= */ true);
  }

  /** One that subscribes and requests nothing. */
  static Caller shy(Scheduler clock) {
    return new Caller(clock, /* asks= */ false);
  }

  boolean waits() {
    return at < 0;
  }

  boolean passed() {
    return waited != null;
  }

  /** The refusal it got. */
  RateLimitedException refusal() {
    if (error instanceof RateLimitedException refusal) {
      return refusal;
    }
    throw new AssertionError("was not refused: " + this, error);
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    if (asks) {
      subscription.request(1);
    }
  }

  @Override
  protected void hookOnNext(Duration value) {
    waited = value;
    at = clock.now(TimeUnit.NANOSECONDS);
    signals++;
  }

  @Override
  protected void hookOnError(Throwable throwable) {
    error = throwable;
    at = clock.now(TimeUnit.NANOSECONDS);
    signals++;
  }

  @Override
  public String toString() {
    return passed() ? "passed after " + waited : error != null ? "failed: " + error : "waits";
  }
}
