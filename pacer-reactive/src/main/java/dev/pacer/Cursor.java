package dev.pacer;

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

  /** How many nanoseconds the cursor is ahead of its clock, 0 or less for an idle key. Moves nothing. */
  Mono<Long> peek(String key);

  /** A hint that the caller keeps nothing of this key any more, and that its cursor is in the past. */
  default void forget(String key) {}

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

    /** Reads the answer to this claim out of the row that it left behind. */
    public Grant grant(Row row, long roundTripNanos) {
      long start = row.cursor() - gcra.advance(row.granted());
      long first = start - gcra.tolerance() - row.readAt();
      long wait = row.granted() > 0 ? first : first + gcra.advance(least - 1);
      return new Grant(row.granted(), wait, start, row.seq(), row.clamped(), roundTripNanos);
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
   */
  record Row(long cursor, long granted, long readAt, long seq, boolean clamped) {}

  /**
   * The answer to a claim.
   *
   * @param permits how many slots were granted; 0 is a refusal, and nothing was moved
   * @param waitNanos from the answer's arrival to the first slot's due time, negative where a burst's place
   *     lies ahead of it; for a refusal, to the slot that the least of the claim would have been due at
   * @param start the place of the first slot, in nanoseconds of the cursor's clock
   * @param seq the row's sequence number after the step
   * @param clamped whether the cursor was found beyond the horizon, and read as idle
   * @param roundTripNanos how old the reading of the clock may be
   */
  record Grant(long permits, long waitNanos, long start, long seq, boolean clamped, long roundTripNanos) {}

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
