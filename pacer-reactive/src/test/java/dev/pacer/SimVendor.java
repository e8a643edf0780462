package dev.pacer;

import java.time.Duration;
import java.util.Random;

/** Whoever is called. It has times in which it says stop to everybody, with or without a figure. */
final class SimVendor {

  private final SimLoop loop;
  private long stopsUntil;
  private boolean tells;

  SimVendor(SimLoop loop) {
    this.loop = loop;
  }

  void stop(long nanos, boolean withFigure) {
    stopsUntil = loop.now() + nanos;
    tells = withFigure;
  }

  long latency(Random random) {
    return 1_000_000 + (long) (random.nextDouble() * 100_000_000);
  }

  GateVendor.Answer answer() {
    long left = stopsUntil - loop.now();
    return left <= 0 ? GateVendor.GOOD : tells ? GateVendor.Answer.stop(Duration.ofNanos(left)) : GateVendor.BARE_429;
  }
}
