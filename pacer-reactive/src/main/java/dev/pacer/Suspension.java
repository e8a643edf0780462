package dev.pacer;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether a pacer is suspended, and how often it has been. What was asked for before a suspension is nothing any more
 * after it. Thread-safe.
 */
final class Suspension {

  private final AtomicInteger changes = new AtomicInteger();

  boolean isOn() {
    return changes.get() % 2 != 0;
  }

  /** Goes up with each beginning and each end. */
  int changes() {
    return changes.get();
  }

  void begin() {
    changes.updateAndGet(before -> before % 2 == 0 ? before + 1 : before);
  }

  void end() {
    changes.updateAndGet(before -> before % 2 == 0 ? before : before + 1);
  }
}
