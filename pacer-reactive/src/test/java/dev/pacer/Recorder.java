package dev.pacer;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Keeps what a pacer tells its listener. */
final class Recorder implements PacerListener {

  final AtomicLong released = new AtomicLong();
  final AtomicLong refused = new AtomicLong();
  final AtomicLong cancelled = new AtomicLong();
  final AtomicLong answered = new AtomicLong();
  final AtomicLong granted = new AtomicLong();
  final AtomicLong givenBack = new AtomicLong();
  final AtomicLong lost = new AtomicLong();
  final AtomicLong clamped = new AtomicLong();
  final AtomicLong latest = new AtomicLong();
  final Queue<String> anomalies = new ConcurrentLinkedQueue<>();

  /** What has become of granted permits. */
  long spent() {
    return released.get() + givenBack.get() + lost.get();
  }

  @Override
  public void released(String key, Duration waited, Duration late) {
    released.incrementAndGet();
    latest.accumulateAndGet(late.toNanos(), Math::max);
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
  public void answered(String key, long asked, long permits, Duration roundTrip) {
    answered.incrementAndGet();
    granted.addAndGet(permits);
  }

  @Override
  public void givenBack(String key, long permits) {
    givenBack.addAndGet(permits);
  }

  @Override
  public void lost(String key, long permits) {
    lost.addAndGet(permits);
  }

  @Override
  public void clamped(String key) {
    clamped.incrementAndGet();
  }

  @Override
  public void anomaly(String key, String what) {
    anomalies.add(what);
  }
}
