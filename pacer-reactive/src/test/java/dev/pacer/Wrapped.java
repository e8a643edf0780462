package dev.pacer;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A cursor around another, for tests to come in between. */
public class Wrapped implements Cursor {

  private final Cursor cursor;

  protected Wrapped(Cursor cursor) {
    this.cursor = cursor;
  }

  @Override
  public Mono<Grant> take(Claim claim) {
    return cursor.take(claim);
  }

  @Override
  public Mono<Boolean> giveBack(Refund refund) {
    return cursor.giveBack(refund);
  }

  @Override
  public Mono<Standing> peek(String key) {
    return cursor.peek(key);
  }

  @Override
  public Mono<Cooldown> coolDown(Stop stop) {
    return cursor.coolDown(stop);
  }

  @Override
  public Mono<Cooldown> relax(Relief relief) {
    return cursor.relax(relief);
  }

  @Override
  public Mono<Fleet> checkIn(long memoryNanos) {
    return cursor.checkIn(memoryNanos);
  }

  @Override
  public Gcra paced(String key, Gcra pace) {
    return cursor.paced(key, pace);
  }

  @Override
  public Flux<Notice> notices() {
    return cursor.notices();
  }

  @Override
  public void forget(String key) {
    cursor.forget(key);
  }

  @Override
  public Mono<Void> suspend() {
    return cursor.suspend();
  }

  @Override
  public Mono<Void> close() {
    return cursor.close();
  }
}
