package dev.pacer;

import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Where the cursors of all keys live: the one thing that processes share.
 *
 * <p>A cursor has one clock of its own, and answers with durations, so a process never compares its own time
 * of day with anything. Every Mono is cold, and a caller that cancels one leaves the step itself alone: what
 * was sent is carried out. Implementations are thread-safe. A {@link Pacer} owns its cursor and closes it.
 *
 * <p>Implementations must pass the contract test that the ones in this library share; the arithmetic is
 * {@link Gcra}.
 */
public interface Cursor {

  /**
   * Takes slots in one atomic step, or none.
   *
   * <p>Errors: {@link CursorException} if the cursor cannot be asked.
   */
  Mono<Grant> take(Claim claim);

  /**
   * Moves the cursor back if nobody has moved it since; emits whether that was so. At most once: a second
   * attempt with the same refund changes nothing.
   */
  Mono<Boolean> giveBack(Refund refund);

  /** How the key stands, empty if it was never used. Moves nothing. */
  Mono<Standing> peek(String key);

  /** Shuts the key's gate, or keeps it shut for longer; {@link Backoff#stopped} is what it makes of it. */
  Mono<Cooldown> coolDown(Stop stop);

  /** Takes note of good answers: no strikes any more, and perhaps half the widening. */
  Mono<Cooldown> relax(Relief relief);

  /**
   * What other processes did to gates, from now on; where it cannot be told, never anything. {@link Notice#ANY}
   * means that something may have been missed. A hint: a claim's answer says the same.
   */
  Flux<Notice> notices();

  /**
   * Says that this process is there, counts those that are, and shows whether claims can be made: it fails if one
   * would. Empty where there is nothing to tell.
   *
   * @param memoryNanos a process that was not heard of for so long does not count; 0 if nobody is to be counted
   */
  default Mono<Fleet> checkIn(long memoryNanos) {
    return Mono.empty();
  }

  /** The pace at which slots of a key are granted at present to claims of that pace. */
  default Gcra paced(String key, Gcra pace) {
    return pace;
  }

  /** A hint that the caller keeps nothing of this key any more, and that its cursor is in the past. */
  default void forget(String key) {}

  /** Lets go of connections, in bounded time, until the next claim. What is under way may fail. */
  default Mono<Void> suspend() {
    return Mono.empty();
  }

  /** Lets go of connections, in bounded time. Claims made afterwards fail. */
  Mono<Void> close();

  /**
   * What a lane asks for.
   *
   * @param key whose cursor
   * @param gcra interval and burst
   * @param permits as many as these, at least 1
   * @param least rather none than fewer than these, at least 1
   * @param ahead how many of them may be not due yet, at least {@code least}
   * @param withinNanos by when they must be due, from now
   * @param floor the highest cursor the caller has seen; the cursor is not taken to be below it
   * @param horizonNanos a cursor (or a floor) further ahead than this is corrupt, and read as idle
   */
  record Claim(
      String key, Gcra gcra, long permits, long least, long ahead, long withinNanos, long floor, long horizonNanos) {

    private static final long AGES = Duration.ofDays(3_660).toNanos();

    /** Reads the answer to this claim out of the row that it left behind. */
    public Grant grant(Row row, long roundTripNanos) {
      Gcra paced = gcra.widened(row.gate().widening());
      long start =
          row.granted() > 0
              ? row.cursor() - paced.advance(row.granted())
              : paced.start(row.cursor(), row.gate().shutUntil(), row.readAt(), this);
      long first = start - paced.tolerance() - row.readAt();
      long wait = row.granted() > 0 ? first : first + paced.advance(least - 1);
      return new Grant(
          row.granted(), wait, start, paced, row.seq(), row.clamped(), row.cooldown(), roundTripNanos);
    }

    /** Bends what a cursor must never answer to this into what it may. */
    Grant fit(Grant grant) {
      long fitting = Math.max(0, Math.min(permits, grant.permits()));
      long earliest = fitting == 0 ? 0 : -grant.gcra().tolerance();
      long wait = Math.max(earliest, Math.min(AGES, grant.waitNanos()));
      return new Grant(
          fitting, wait, grant.start(), grant.gcra(), grant.seq(), grant.clamped(), grant.cooldown(),
          grant.roundTripNanos());
    }
  }

  /**
   * A key's row, as the last step left it.
   *
   * @param cursor when the next slot begins, in nanoseconds of the cursor's own clock
   * @param granted how many permits the step granted
   * @param readAt what the clock said in the step
   * @param seq goes up with every step that moves the cursor
   * @param clamped whether the step found a cursor beyond the horizon
   * @param gate the key's gate
   */
  record Row(long cursor, long granted, long readAt, long seq, boolean clamped, Gate gate) {

    /** The row of a key that was never used. */
    public static final Row NONE = new Row(0, 0, 0, 0, false, Gate.OPEN);

    /** The gate as of {@link #readAt}. */
    public Cooldown cooldown() {
      return gate.cooldown(readAt);
    }
  }

  /**
   * A key's gate, in its row.
   *
   * @param shutUntil in nanoseconds of the cursor's own clock
   * @param strikes cooldowns in a row without a success between them
   * @param generation goes up with each new cooldown
   * @param widening the interval is the pace's own times {@code 2^widening}
   */
  record Gate(long shutUntil, int strikes, long generation, int widening) {

    /** A gate that was never shut. */
    public static final Gate OPEN = new Gate(0, 0, 0, 0);

    public Cooldown cooldown(long now) {
      return new Cooldown(Math.max(0, shutUntil - now), strikes, generation, widening);
    }
  }

  /**
   * A key's gate, to a process: as a duration, from the arrival of the answer.
   *
   * @param remainingNanos how long it stays shut, 0 if it is open
   * @param strikes as in the row, and the others too
   */
  record Cooldown(long remainingNanos, int strikes, long generation, int widening) {

    /** A gate that was never shut. */
    public static final Cooldown NONE = new Cooldown(0, 0, 0, 0);
  }

  /** How a key stands: how far its cursor is ahead of its clock, 0 or less if idle, and its gate. */
  record Standing(long aheadNanos, Cooldown cooldown) {}

  /**
   * Who is there.
   *
   * @param processes how many, with this one; 0 if nobody has counted
   * @param clock what the cursor's clock says
   */
  record Fleet(int processes, long clock) {}

  /** Somebody shut a gate, or relaxed it. */
  record Notice(String key, Cooldown cooldown) {

    /** Some notices may have been missed: what is known of any key may be old. */
    public static final Notice ANY = new Notice("", Cooldown.NONE);
  }

  /**
   * A vendor said stop.
   *
   * @param key whose gate
   * @param vendorNanos for how long, or {@link #NO_FIGURE}
   * @param sentIn the generation in which the call was sent that got this answer, or {@link #UNKNOWN}, or {@link
   *     #NO_ANSWER}
   * @param jitterNanos what is added to a backoff
   * @param backoff how long, if the vendor gave no figure
   */
  record Stop(String key, long vendorNanos, long sentIn, long jitterNanos, Backoff backoff) {

    public static final long NO_FIGURE = -1;

    /** It was sent when the gate was open, as far as anybody knows. */
    public static final long UNKNOWN = Long.MAX_VALUE;

    /** A generation before all others: it answers no call that was a mistake, and so is no strike. */
    public static final long NO_ANSWER = -1;
  }

  /**
   * Good answers.
   *
   * @param key whose gate
   * @param sentIn the generation in which the calls were sent; a later one is not touched
   * @param narrower by how many steps the widening shrinks
   */
  record Relief(String key, long sentIn, int narrower) {

    /** What it makes of a gate. */
    Gate relax(Gate gate) {
      return sentIn < gate.generation()
          ? gate
          : new Gate(gate.shutUntil(), 0, gate.generation(), Math.max(0, gate.widening() - narrower));
    }
  }

  /**
   * The answer to a claim.
   *
   * @param permits how many slots were granted; 0 is a refusal, and nothing was moved
   * @param waitNanos from the answer's arrival to the first slot's due time, negative where a burst's place
   *     lies ahead of it; for a refusal, to the slot that the least of the claim would have been due at
   * @param start the place of the first slot, in nanoseconds of the cursor's clock
   * @param gcra the pace the slots have: the claim's, perhaps widened
   * @param seq the row's sequence number after the step
   * @param clamped whether the cursor was found beyond the horizon, and read as idle
   * @param cooldown the key's gate
   * @param roundTripNanos how old the reading of the clock may be
   */
  record Grant(
      long permits,
      long waitNanos,
      long start,
      Gcra gcra,
      long seq,
      boolean clamped,
      Cooldown cooldown,
      long roundTripNanos) {}

  /**
   * The tail of a grant, to be given back.
   *
   * @param key whose cursor
   * @param cursor what it must still be
   * @param seq what the sequence number must still be; the cursor alone could be back at the same value
   * @param to what it becomes; the sequence number goes up by one
   */
  record Refund(String key, long cursor, long seq, long to) {}
}
