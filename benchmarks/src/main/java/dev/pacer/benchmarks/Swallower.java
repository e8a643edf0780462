package dev.pacer.benchmarks;

import org.openjdk.jmh.infra.Blackhole;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A subscriber that costs nothing of its own, and waits for nothing. */
record Swallower(Blackhole hole) implements CoreSubscriber<Object> {

  @Override
  public void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(Object value) {
    hole.consume(value);
  }

  @Override
  public void onError(Throwable error) {
    throw new IllegalStateException("a call failed", error);
  }

  @Override
  public void onComplete() {}
}
