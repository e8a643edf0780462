package dev.pacer;

import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** A cursor that is a round trip away. */
final class DistantCursor extends Wrapped {

  private final Scheduler time;
  private final Duration half;

  DistantCursor(Cursor cursor, Scheduler time, long roundTripNanos) {
    super(cursor);
    this.time = time;
    this.half = Duration.ofNanos(roundTripNanos / 2);
  }

  @Override
  public Mono<Grant> take(Claim claim) {
    return Mono.delay(half, time).then(super.take(claim)).delayElement(half, time).map(this::old);
  }

  private Grant old(Grant grant) {
    long age = 2 * half.toNanos();
    return new Grant(
        grant.permits(),
        grant.waitNanos(),
        grant.start(),
        grant.gcra(),
        grant.seq(),
        grant.clamped(),
        grant.cooldown(),
        age);
  }

  @Override
  public Mono<Boolean> giveBack(Refund refund) {
    return Mono.delay(half, time).then(super.giveBack(refund)).delayElement(half, time);
  }
}
