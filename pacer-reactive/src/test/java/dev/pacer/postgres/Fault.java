package dev.pacer.postgres;

import java.time.Duration;

/**
 * Something that goes wrong for a while: how it is prepared, how it begins and how it ends.
 *
 * @param lasts how long at least, before it is mended
 * @param quick whether it is tried in each build
 * @param forgets whether the database may have forgotten what it has granted, or have another clock
 */
record Fault(String name, Duration lasts, boolean quick, boolean forgets, Step prepare, Step breaks, Step mends) {

  interface Step {
    Step NOTHING = scene -> {};

    void on(FaultScene scene) throws Exception;
  }

  static Fault of(String name, Step breaks, Step mends) {
    return new Fault(name, Duration.ofMillis(1_500), /* quick= */ true, /* forgets= */ false, Step.NOTHING, breaks, mends);
  }

  Fault lasting(Duration time) {
    return new Fault(name, time, quick, forgets, prepare, breaks, mends);
  }

  Fault slow() {
    return new Fault(name, lasts, /* quick= */ false, forgets, prepare, breaks, mends);
  }

  Fault forgetting() {
    return new Fault(name, lasts, quick, /* forgets= */ true, prepare, breaks, mends);
  }

  Fault prepared(Step step) {
    return new Fault(name, lasts, quick, forgets, step, breaks, mends);
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
