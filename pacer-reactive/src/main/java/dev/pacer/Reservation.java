package dev.pacer;

import java.time.Duration;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** {@link Pacer#reserve}: each subscription is a {@link Waiter} of its own. */
final class Reservation extends Mono<Duration> {

  final String key;
  final Call call;
  private final Pacer pacer;

  Reservation(Pacer pacer, String key, Call call) {
    this.pacer = pacer;
    this.key = key;
    this.call = call;
  }

  @Override
  public void subscribe(CoreSubscriber<? super Duration> actual) {
    actual.onSubscribe(new Waiter(actual, this));
  }

  void cancelled() {
    pacer.cancelled(key);
  }

  void submit(Waiter waiter) {
    pacer.submit(waiter);
  }

  boolean isShut() {
    return pacer.isShut(key);
  }

  void rejoin(Waiter waiter) {
    pacer.rejoin(waiter);
  }
}
