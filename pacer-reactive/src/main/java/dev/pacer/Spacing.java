package dev.pacer;

/**
 * Keeps a lane's dispatches as far apart as their slots were, when slots are late: after a pause of the
 * process, or a slow answer, overdue slots would else go out together. Confined to its lane's drain.
 *
 * <p>It is GCRA once more, on what was really dispatched, with the burst and a {@link #slack} as tolerance.
 */
final class Spacing {

  /** How late a timer may be without anybody calling it a pause. */
  static final long SLACK = 5_000_000;

  private static final long SLOW_INTERVAL = 100_000_000;

  private boolean started;
  private long place;
  private long dispatch;
  private long interval; // as it was then

  /** The earliest time at which a call of so many permits may go at this slot, at or before its due time or after. */
  long earliest(Run.Slot slot, Gcra gcra, long permits) {
    if (!started) {
      return slot.due();
    }
    long next = dispatch + gap(slot, gcra, permits) - gcra.tolerance() - slack(gcra);
    return next - slot.due() > 0 ? next : slot.due();
  }

  /**
   * How much closer than their slots calls may go where timers are late: without any, each timer's lateness
   * would add to all that follow. A fast pace needs all of it, a slow one none.
   */
  static long slack(Gcra gcra) {
    long interval = gcra.advance(1);
    return interval >= SLOW_INTERVAL ? 0 : Math.min(SLACK, Math.max(interval / 10, SLACK - interval / 2));
  }

  /**
   * Slots later than this are not used any more. A pause costs its own length either way, and using late slots
   * would keep the lane late from then on; only where slots are far apart is it dearer to lose one.
   */
  static long overdue(Gcra gcra, long quantum) {
    long interval = gcra.advance(1);
    return interval < quantum ? Math.max(2 * SLACK, interval) : Math.max(quantum, interval / 100);
  }

  void dispatched(Run.Slot slot, Gcra gcra, long permits, long now) {
    // where its last permit lies if nothing went before; it may cost more than this process's share of the burst
    long fresh = now + Math.min(gcra.advance(permits - 1), gcra.tolerance());
    long next = started ? dispatch + gap(slot, gcra, permits) : fresh;
    dispatch = next - fresh > 0 ? next : fresh;
    place = slot.place();
    interval = gcra.advance(1);
    started = true;
  }

  /** The last call only went on at {@code now}: its thread was busy. */
  void delayed(long now) {
    dispatch = now - dispatch > 0 ? now : dispatch;
  }

  /**
   * Never more than the permits' own length, behind that of the last one, which may have been longer: after an idle
   * time there is nothing to be kept apart.
   */
  private long gap(Run.Slot slot, Gcra gcra, long permits) {
    long length = interval + gcra.advance(permits) - gcra.advance(1);
    long gap = slot.place() - place;
    return gap < 0 || gap > length ? length : gap;
  }
}
