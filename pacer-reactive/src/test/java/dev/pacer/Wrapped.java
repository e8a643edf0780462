package dev.pacer;

import reactor.core.publisher.Mono;

/** A cursor around another, for tests to come in between. */
class Wrapped implements Cursor {

  private final Cursor cursor;

  Wrapped(Cursor cursor) {
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
  public Mono<Long> peek(String key) {
    return cursor.peek(key);
  }

  @Override
  public void forget(String key) {
    cursor.forget(key);
  }

  @Override
  public Mono<Void> close() {
    return cursor.close();
  }
}
