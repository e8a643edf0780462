package dev.pacer;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a process knows of a key's gate, in local time. Immutable; confined to no thread.
 *
 * @param shutUntil in local time; in the past if the gate is open
 * @param strikes see {@link GateState}
 * @param generation of the last cooldown that is known
 * @param widening see {@link GateState}
 * @param vendorNanos the vendor's figure, or {@link Cursor.Stop#NO_FIGURE}
 */
record Gate(long shutUntil, int strikes, long generation, int widening, long vendorNanos) {

  static Gate open(long now) {
    return new Gate(now, 0, 0, 0, Cursor.Stop.NO_FIGURE);
  }

  /** Compared by difference: local times wrap. */
  boolean isShut(long now) {
    return shutUntil - now > 0;
  }

  /** Whether it has something to recover from. */
  boolean isStrained() {
    return strikes > 0 || widening > 0;
  }

  /**
   * What the cursor says is true, except that nothing shortens a cooldown. An answer of an older generation is
   * late, or its row was lost: all that counts of it is that the gate is shut.
   */
  Gate learn(Cursor.Cooldown cooldown, long now) {
    long until = now + cooldown.remainingNanos();
    long later = cooldown.remainingNanos() > 0 && until - shutUntil > 0 ? until : shutUntil;
    long figure = isShut(now) ? vendorNanos : Cursor.Stop.NO_FIGURE;
    return cooldown.generation() < generation
        ? new Gate(later, strikes, generation, widening, figure)
        : new Gate(later, cooldown.strikes(), cooldown.generation(), cooldown.widening(), figure);
  }

  /**
   * Shut for at least so long, from now on, whatever the cursor will make of it. A new cooldown is a generation
   * of its own at once, or the other answers to calls of before, and those to calls sent before the cursor has
   * answered, would each be taken for the first.
   */
  Gate stop(long nanos, long vendorNanos, boolean fresh, long now) {
    long until = now + nanos;
    boolean longer = until - shutUntil > 0;
    return new Gate(
        longer ? until : shutUntil,
        strikes,
        generation + (fresh ? 1 : 0),
        widening,
        longer ? vendorNanos : this.vendorNanos);
  }

  /** A call was sent in that generation, so it has been, though this process has forgotten it with its lane. */
  Gate reaching(long sentIn) {
    return sentIn == Cursor.Stop.UNKNOWN || sentIn <= generation
        ? this
        : new Gate(shutUntil, strikes, sentIn, widening, vendorNanos);
  }

  /** Whether the answer to a call that was sent in that generation says something new. */
  boolean isFresh(long sentIn, long now) {
    return sentIn == Cursor.Stop.UNKNOWN ? !isShut(now) : sentIn >= generation;
  }

  Gate relaxed(int narrower) {
    return new Gate(shutUntil, 0, generation, Math.max(0, widening - narrower), vendorNanos);
  }

  /** To the user; {@code ownWidening} is what this process adds to the fleet's. */
  GateState state(int ownWidening, long now) {
    @Nullable Duration figure = vendorNanos < 0 || !isShut(now) ? null : Duration.ofNanos(vendorNanos);
    return new GateState(
        Duration.ofNanos(Math.max(0, shutUntil - now)), strikes, widening + ownWidening, figure);
  }
}
