package dev.pacer;

/**
 * The arithmetic of a cursor, apart from where the cursor lives: the generic cell rate algorithm (ITU-T
 * I.371, Annex A), for many permits at a time.
 *
 * <p>The simplest pacer remembers when the next call may go: {@code slot = max(next, now); next = slot + T}.
 * One number per key, and neither idle time nor a lost row ever earns more than one immediate slot. Call that
 * number the <em>cursor</em>; GCRA calls it the theoretical arrival time.
 *
 * <p>A burst lets an idle key spend B permits at once. The cursor still moves one interval per permit; a
 * permit is only due up to {@code tolerance = (B − 1) × T} before its place:
 *
 * <pre>
 *   T = 100 ms, B = 3, key idle, five permits taken at "now"
 *
 *   place      now    +100   +200   +300   +400   | cursor afterwards: now + 500
 *   due        now     now    now   +100   +200     = max(now, place − tolerance)
 * </pre>
 *
 * <p>Taking n permits is one step, {@code cursor = max(cursor, now) + n × T}, and gives the same places as n
 * steps of one. A statement therefore takes slots for a whole lane, or for many lanes, as cheaply as for one
 * call. Whoever takes many says how many it may hold that are not due yet ({@link Cursor.Claim#ahead}), by
 * when they must be due ({@link Cursor.Claim#withinNanos}), and below how many it wants none at all ({@link
 * Cursor.Claim#least}). What cannot be had in time moves nothing.
 *
 * <p>A call that costs n takes n places in a row and is due at the last: {@code place(n) − tolerance}. So n
 * must not be above B, or the call would be due after places it has spent already.
 *
 * <p>Times are in nanoseconds; only the interval is finer (256ths), because whole nanoseconds would be off by
 * a part in a thousand at 900 000 per second. Rounding is up, once per step, so a pace is never exceeded. The
 * largest product is {@code 396 days × 256 < 2^63}.
 *
 * <p>{@code dev.pacer.postgres} says the same in SQL, and a test holds the two together.
 *
 * @param interval 256ths of a nanosecond between two slots
 * @param burst how many permits an idle key may spend at once, at least 1
 */
public record Gcra(long interval, int burst) {

  /** How many units of {@link #interval} are a nanosecond. */
  static final int FRACTION = 256;

  private static final int SHIFT = 8;
  private static final long MOST = Long.MAX_VALUE - FRACTION;

  /** How far n permits move the cursor, in nanoseconds; at most 417 days, which is beyond any wait. */
  public long advance(long permits) {
    return permits > MOST / interval ? MOST >> SHIFT : (permits * interval + FRACTION - 1) >> SHIFT;
  }

  /** How long before its place a permit may be due, in nanoseconds. */
  public long tolerance() {
    return advance(burst - 1L);
  }

  /** How many slots lie in the closed span from a slot to {@code nanos} later. */
  long slotsWithin(long nanos) {
    return nanos < 0 ? 0 : (nanos << SHIFT) / interval + 1;
  }

  /**
   * What a claim makes of a cursor. This is the step that must be atomic.
   *
   * @param cursor when the next slot begins, by the clock of {@code now}; anything in the past if unknown
   * @param seq the sequence number beside it
   */
  Cursor.Row take(long cursor, long seq, long now, Cursor.Claim claim) {
    boolean clamped = cursor > now + claim.horizonNanos();
    long floor = claim.floor() > now + claim.horizonNanos() ? now : claim.floor();
    long start = Math.max(now, Math.max(clamped ? now : cursor, floor));
    long first = start - tolerance() - now;
    long granted = 0;
    if (first + advance(claim.least() - 1) <= claim.withinNanos()) {
      long inTime = slotsWithin(claim.withinNanos() - first);
      long due = slotsWithin(-first);
      granted = Math.min(claim.permits(), Math.min(inTime, due + claim.ahead()));
    }
    return new Cursor.Row(start + advance(granted), granted, now, granted > 0 ? seq + 1 : seq, clamped);
  }
}
