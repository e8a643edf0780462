package dev.pacer.http;

import dev.pacer.PacerListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;

/** Counts what a pacer did. */
final class Recorder implements PacerListener {

  private final Map<String, AtomicInteger> released = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> shut = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> shutFresh = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> cancelled = new ConcurrentHashMap<>();
  private final Map<String, Integer> strikes = new ConcurrentHashMap<>();

  @Override
  public void released(String key, Duration waited, Duration late) {
    released.computeIfAbsent(key, k -> new AtomicInteger()).incrementAndGet();
  }

  @Override
  public void cancelled(String key) {
    cancelled.computeIfAbsent(key, k -> new AtomicInteger()).incrementAndGet();
  }

  @Override
  public void shut(String key, Duration remaining, int strikes, boolean fresh) {
    shut.computeIfAbsent(key, k -> new AtomicInteger()).incrementAndGet();
    if (fresh) {
      shutFresh.computeIfAbsent(key, k -> new AtomicInteger()).incrementAndGet();
    }
    this.strikes.merge(key, strikes, Math::max);
  }

  /** How many slots were used. */
  int slots(String key) {
    return released.getOrDefault(key, new AtomicInteger()).get();
  }

  int cancelledWaits(String key) {
    return cancelled.getOrDefault(key, new AtomicInteger()).get();
  }

  /** Whoever works for the lane tells of them, a moment after the cancel. */
  void awaitCancelledWaits(String key, int expected) {
    Mono.fromSupplier(() -> cancelledWaits(key))
        .repeatWhen(again -> again.delayElements(Duration.ofMillis(10)))
        .filter(count -> count == expected)
        .next()
        .block(Duration.ofSeconds(10));
  }

  int cooldowns(String key) {
    return shut.getOrDefault(key, new AtomicInteger()).get();
  }

  /** How often the gate was shut that had been open. */
  int freshCooldowns(String key) {
    return shutFresh.getOrDefault(key, new AtomicInteger()).get();
  }

  /** The most strikes that it ever had. */
  int strikes(String key) {
    return strikes.getOrDefault(key, 0);
  }
}
