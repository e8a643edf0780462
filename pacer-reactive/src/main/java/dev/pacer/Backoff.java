package dev.pacer;

import java.time.Duration;

/**
 * How a gate behaves: how long a cooldown lasts that the vendor gave no figure for, and how far a key slows
 * down under rate pressure. Immutable.
 *
 * <p>Without the vendor's figure the n-th cooldown in a row lasts {@code first × 2^(n − 1)}, at most {@code
 * cap}, and then up to {@code jitter} more, so that fleets that know nothing of each other do not come back
 * together. The vendor's figure counts in full, and is never less than {@code least}.
 *
 * <p>Each setting has bounds of its own, so they can be given in any order.
 *
 * <p>The state lives in the key's row, so this, like {@link Gcra}, is arithmetic that exists in SQL as well.
 *
 * @param first the cooldown of the first strike; 1 ms to 1 h
 * @param cap no backoff is longer, {@code first} to 30 days
 * @param least what a vendor's 0 means, up to 1 h
 * @param jitter the most that is added at random to a backoff, up to 1 h
 * @param decay after a cooldown, each such time without another takes one strike away
 * @param widest the interval is at most {@code 2^widest} times the pace's own; each cooldown doubles it once. 0
 *     to 6, 0 leaves the pace alone
 * @param cleanRun so many good answers in a row, in one process, halve the interval again. Time alone does not, so
 *     whoever lets it widen must tell of good answers, with {@link Pacer#succeeded(Sent)}
 * @param shared whether the widening is the fleet's, in the key's row, or each process's own
 */
public record Backoff(
    Duration first,
    Duration cap,
    Duration least,
    Duration jitter,
    Duration decay,
    int widest,
    int cleanRun,
    boolean shared) {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final int MOST_DOUBLINGS = 16;

  /** 30 s, doubled up to 1 800 s, up to 1 s more; at most 4 times slower, for 20 good answers a step. */
  public static final Backoff DEFAULT =
      new Backoff(
          Duration.ofSeconds(30),
          Duration.ofMinutes(30),
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          Duration.ofMinutes(30),
          2,
          20,
          true);

  public Backoff {
    Pacer.Builder.between("first", first, Duration.ofMillis(1), HOUR);
    Pacer.Builder.between("cap", cap, first, Duration.ofDays(30));
    Pacer.Builder.between("least", least, Duration.ZERO, HOUR);
    Pacer.Builder.between("jitter", jitter, Duration.ZERO, HOUR);
    Pacer.Builder.between("decay", decay, Duration.ofMillis(1), Duration.ofDays(366));
    if (widest < 0 || widest > 6) {
      throw new IllegalArgumentException("widest must be 0 to 6, was " + widest);
    }
    if (cleanRun < 1) {
      throw new IllegalArgumentException("cleanRun must be at least 1, was " + cleanRun);
    }
  }

  /** Another backoff of the same kind; the two belong together, as the one bounds the other. */
  public Backoff first(Duration first, Duration cap) {
    return new Backoff(first, cap, least, jitter, decay, widest, cleanRun, shared);
  }

  public Backoff least(Duration least) {
    return new Backoff(first, cap, least, jitter, decay, widest, cleanRun, shared);
  }

  public Backoff jitter(Duration jitter) {
    return new Backoff(first, cap, least, jitter, decay, widest, cleanRun, shared);
  }

  public Backoff decay(Duration decay) {
    return new Backoff(first, cap, least, jitter, decay, widest, cleanRun, shared);
  }

  public Backoff widening(int widest, int cleanRun, boolean shared) {
    return new Backoff(first, cap, least, jitter, decay, widest, cleanRun, shared);
  }

  /** The widening that is written to the key's row. */
  public int sharedWidest() {
    return shared ? widest : 0;
  }

  /**
   * What a stop makes of a gate. An answer to a call that was sent before the present cooldown began is no new
   * strike, and whatever a stop says, it never shortens a cooldown. A generation that the row has not come to
   * yet means that the row was lost: it counts on from there, or each answer of that generation were a strike.
   */
  Cursor.Gate stopped(Cursor.Gate gate, long now, Cursor.Stop stop) {
    boolean unknown = stop.sentIn() == Cursor.Stop.UNKNOWN;
    boolean fresh = unknown ? now >= gate.shutUntil() : stop.sentIn() >= gate.generation();
    long generation = unknown ? gate.generation() : Math.max(gate.generation(), stop.sentIn());
    int strikes = fresh ? strikesLeft(gate, now) + 1 : gate.strikes();
    long until = gate.shutUntil();
    if (stop.vendorNanos() >= 0) {
      until = Math.max(until, now + Math.max(stop.vendorNanos(), least.toNanos()));
    } else if (fresh) {
      long doubled = first.toNanos() << Math.min(strikes - 1, MOST_DOUBLINGS);
      until = Math.max(until, now + Math.min(cap.toNanos(), doubled) + stop.jitterNanos());
    }
    int one = fresh ? 1 : 0;
    return new Cursor.Gate(
        until, strikes, generation + one, Math.min(gate.widening() + one, sharedWidest()));
  }

  /** How many strikes a gate has that was last shut a while ago. */
  int strikesLeft(Cursor.Gate gate, long now) {
    long quiet = Math.max(0, now - gate.shutUntil());
    return (int) Math.max(0, gate.strikes() - quiet / decay.toNanos());
  }
}
