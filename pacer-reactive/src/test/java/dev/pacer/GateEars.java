package dev.pacer;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Keeps what a pacer tells of its gates and slots. */
final class GateEars implements PacerListener {

  final Queue<Shut> shut = new ConcurrentLinkedQueue<>();
  final AtomicLong granted = new AtomicLong();
  final AtomicLong released = new AtomicLong();
  final AtomicLong refused = new AtomicLong();
  final AtomicLong cancelled = new AtomicLong();
  final AtomicLong lost = new AtomicLong();
  final AtomicLong givenBack = new AtomicLong();

  record Shut(String key, Duration remaining, int strikes, boolean fresh) {}

  long freshOnes() {
    return shut.stream().filter(Shut::fresh).count();
  }

  @Override
  public void shut(String key, Duration remaining, int strikes, boolean fresh) {
    shut.add(new Shut(key, remaining, strikes, fresh));
  }

  @Override
  public void answered(String key, long asked, long permits, Duration roundTrip) {
    granted.addAndGet(permits);
  }

  @Override
  public void released(String key, Duration waited, Duration late) {
    released.incrementAndGet();
  }

  @Override
  public void refused(String key, Duration waitNeeded) {
    refused.incrementAndGet();
  }

  @Override
  public void cancelled(String key) {
    cancelled.incrementAndGet();
  }

  @Override
  public void lost(String key, long permits) {
    lost.addAndGet(permits);
  }

  @Override
  public void givenBack(String key, long permits) {
    givenBack.addAndGet(permits);
  }
}
