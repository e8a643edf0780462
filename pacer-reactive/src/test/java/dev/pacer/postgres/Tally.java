package dev.pacer.postgres;

import dev.pacer.PacerListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what a pacer tells. */
final class Tally implements PacerListener {
    final AtomicLong released = new AtomicLong();
    final AtomicLong refused = new AtomicLong();
    final AtomicLong cancelled = new AtomicLong();
    final AtomicLong statements = new AtomicLong();
    final AtomicLong granted = new AtomicLong();
    final AtomicLong givenBack = new AtomicLong();
    final AtomicLong lost = new AtomicLong();
    final AtomicLong clamped = new AtomicLong();
    final AtomicLong anomalies = new AtomicLong();
    final AtomicLong latestNanos = new AtomicLong();
    final AtomicLong slowestNanos = new AtomicLong();

    @Override
    public void released(String key, Duration waited, Duration late) {
        released.incrementAndGet();
        latestNanos.accumulateAndGet(late.toNanos(), Math::max);
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
        statements.incrementAndGet();
        granted.addAndGet(permits);
        slowestNanos.accumulateAndGet(roundTrip.toNanos(), Math::max);
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
        anomalies.incrementAndGet();
    }
}
