package dev.pacer;

/**
 * Keeps a lane's dispatches as far apart as their slots were, when slots are late: after a pause of the
 * process, or a slow answer, overdue slots would else go out together. Confined to its lane's drain.
 *
 * <p>It is GCRA once more, on what was really dispatched, with the burst as tolerance. Timers are never on the
 * dot, so a fast pace may catch up {@link #SLACK}; a slow one need not.
 */
final class Spacing {

  /** How late a timer may be without anybody calling it a pause. */
  static final long SLACK = 2_000_000;

  private static final long SLOW_INTERVAL = 10_000_000;

  private boolean started;
  private long place;
  private long dispatch;

  /** The earliest time at which a call of so many permits may go at this slot, at or before its due time or after. */
  long earliest(Run.Slot slot, Gcra gcra, long permits) {
    if (!started) {
      return slot.due();
    }
    long slack = gcra.advance(1) < SLOW_INTERVAL ? SLACK : 0;
    long next = dispatch + gap(slot, gcra, permits) - gcra.tolerance() - slack;
    return next - slot.due() > 0 ? next : slot.due();
  }

  void dispatched(Run.Slot slot, Gcra gcra, long permits, long now) {
    long fresh = now + gcra.advance(permits - 1); // where its last permit lies if nothing went before
    long next = started ? dispatch + gap(slot, gcra, permits) : fresh;
    dispatch = next - fresh > 0 ? next : fresh;
    place = slot.place();
    started = true;
  }

  /** Never more than the permits' own length: after an idle time there is nothing to be kept apart. */
  private long gap(Run.Slot slot, Gcra gcra, long permits) {
    long length = gcra.advance(permits);
    long gap = slot.place() - place;
    return gap < 0 || gap > length ? length : gap;
  }
}
