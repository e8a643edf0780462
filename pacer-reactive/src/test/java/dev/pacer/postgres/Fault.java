package dev.pacer.postgres;

import java.time.Duration;

/**
 * Something that goes wrong for a while: how it is prepared, how it begins and how it ends.
 *
 * @param lasts how long at least, before it is mended
 * @param quick whether it is tried in each build
 * @param jumps how often the database may have forgotten what it has granted, or have another clock: when the fault begins,
 *     and when it ends
 * @param keeps for how long calls are kept by something else than the database
 */
record Fault(
    String name, Duration lasts, boolean quick, int jumps, Duration keeps, Step prepare, Step breaks, Step mends) {

  interface Step {
    Step NOTHING = scene -> {};

    void on(FaultScene scene) throws Exception;
  }

  static Fault quick(String name, Step breaks, Step mends) {
    return new Fault(name, Duration.ofSeconds(1), true, 0, Duration.ZERO, Step.NOTHING, breaks, mends);
  }

  static Fault slow(String name, Step breaks, Step mends) {
    return new Fault(name, Duration.ofSeconds(3), false, 0, Duration.ZERO, Step.NOTHING, breaks, mends);
  }

  Fault lasting(Duration time) {
    return new Fault(name, time, quick, jumps, keeps, prepare, breaks, mends);
  }

  Fault jumping(int times) {
    return new Fault(name, lasts, quick, times, keeps, prepare, breaks, mends);
  }

  Fault keeping(Duration time) {
    return new Fault(name, lasts, quick, jumps, time, prepare, breaks, mends);
  }

  Fault prepared(Step step) {
    return new Fault(name, lasts, quick, jumps, keeps, step, breaks, mends);
  }

  /** @param choice {@code all}, or a part of the name; empty for those that are quick */
  boolean isChosen(String choice) {
    return choice.isEmpty() ? quick : choice.equals("all") || name.contains(choice);
  }

  @Override
  public String toString() {
    return name;
  }
}
