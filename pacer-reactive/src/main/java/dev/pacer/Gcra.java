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

  private static final long WIDEST = 1L << 50;
  private static final long WIDEST_BURST = 1L << 56;

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
   * The same, {@code 2^steps} times slower. The burst shrinks likewise, rounded up, so that its tolerance does not
   * grow, and what was dispatched weighs no less than before: a burst that is spent must not be had again because of
   * pressure, nor when it is over. Paces slower than about one an hour, and those whose
   * burst is worth three days or more, are left as they are: they are no rate that pressure could lower, and
   * would leave the range of numbers.
   */
  Gcra widened(int steps) {
    boolean slow = interval >= WIDEST || interval * burst >= WIDEST_BURST;
    return steps == 0 || slow ? this : new Gcra(interval << steps, (int) ((burst + (1L << steps) - 1) >> steps));
  }

  /** The pace of one of so many that share this one, {@code factor} times slower; each has its part of the burst. */
  Gcra slower(double factor, int sharers) {
    if (factor == 1) {
      return this;
    }
    int share = Math.max(1, burst / sharers);
    double unit = share == 1 ? 1 : FRACTION; // a burst's tolerance must not be rounded up, see Pace
    double longer = Math.ceil(Math.nextUp(interval * factor) / unit) * unit; // never faster than asked for
    return new Gcra(longer < MOST ? (long) longer : MOST, share);
  }

  /**
   * Where the next slot is placed: not before the cursor, nor the caller's floor, nor now, nor the end of a
   * cooldown. That last one is moved by the tolerance, or a burst would slip out before the gate opens. A gate
   * that was never shut moves nothing, also where the clock has only just begun at 0.
   */
  long start(long cursor, long shutUntil, long now, Cursor.Claim claim) {
    long known = isCorrupt(cursor, now, claim) ? now : cursor;
    long floor = isCorrupt(claim.floor(), now, claim) ? now : claim.floor();
    long opened = shutUntil > 0 ? shutUntil + tolerance() : now;
    return Math.max(Math.max(now, opened), Math.max(known, floor));
  }

  private static boolean isCorrupt(long cursor, long now, Cursor.Claim claim) {
    return cursor > now + claim.horizonNanos();
  }

  /** What a claim makes of a row. This is the step that must be atomic. A refusal leaves the cursor alone. */
  static Cursor.Row take(Cursor.Row row, long now, Cursor.Claim claim) {
    Gcra gcra = claim.gcra().widened(row.gate().widening());
    long start = gcra.start(row.cursor(), row.gate().shutUntil(), now, claim);
    long first = start - gcra.tolerance() - now;
    boolean refused = first + gcra.advance(claim.least() - 1) > claim.withinNanos();
    long inTime = gcra.slotsWithin(claim.withinNanos() - first);
    long due = gcra.slotsWithin(-first);
    long granted = refused ? 0 : Math.min(claim.permits(), Math.min(inTime, due + claim.ahead()));
    return new Cursor.Row(
        refused ? row.cursor() : start + gcra.advance(granted),
        granted,
        now,
        refused ? row.seq() : row.seq() + 1,
        isCorrupt(row.cursor(), now, claim),
        row.gate());
  }
}
