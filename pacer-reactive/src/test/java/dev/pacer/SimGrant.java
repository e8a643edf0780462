package dev.pacer;

import java.util.BitSet;
import java.util.List;

/** Slots that the shared cursor has granted, and what has become of them. */
final class SimGrant {

  /** Runs that are split round up once more, in nanoseconds. */
  private static final long ROUNDING = 4;

  final int process;
  final Cursor.Claim claim;
  final Cursor.Row row;
  final long at;
  final int epoch;
  final Gcra gcra;
  final long start;
  private final BitSet used = new BitSet();
  private long permits;

  /** Its commit was lost. */
  boolean forgotten;

  /** It came to a lane in time. */
  boolean taken;

  /** When it came, by the clock of its process. */
  long takenAt;

  long wait;

  SimGrant(int process, Cursor.Claim claim, Cursor.Row row, long at, int epoch) {
    this.process = process;
    this.claim = claim;
    this.row = row;
    this.at = at;
    this.epoch = epoch;
    this.permits = row.granted();
    Cursor.Grant answer = answer(/* roundTripNanos= */ 1);
    this.gcra = answer.gcra();
    this.start = answer.start();
  }

  Cursor.Grant answer(long roundTripNanos) {
    return claim.grant(row, roundTripNanos);
  }

  long permits() {
    return permits;
  }

  long end() {
    return start + gcra.advance(permits);
  }

  void taken(long now, Cursor.Grant answer) {
    taken = true;
    takenAt = now;
    wait = answer.waitNanos();
  }

  /** Whether one of its slots is due at that time of its process, and no call has had it. */
  boolean use(long due) {
    long place = due - takenAt - wait;
    for (int i = 0; i < permits; i++) {
      long moved = gcra.advance(i);
      boolean same = Math.abs(moved - place) <= ROUNDING || (due == takenAt && moved < place);
      if (same && !used.get(i)) {
        used.set(i);
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return permits + " from " + start + " to " + end() + " at " + row.readAt() + " by process " + process + " of " + claim;
  }

  /** Whether both came to lanes, and their places can be compared. */
  boolean isTakenWith(SimGrant other) {
    return taken && other.taken && epoch == other.epoch;
  }

  /** How many slots of the two are the same. */
  long shared(SimGrant other) {
    long both = Math.min(end(), other.end()) - Math.max(start, other.start);
    return both <= 0 ? 0 : (both - 1) / Math.min(gcra.advance(1), other.gcra.advance(1)) + 1;
  }

  /** The tail is the cursor's again. If its commit was lost, so are those of whom it was granted to since. */
  static void giveBack(List<SimGrant> grants, int process, Cursor.Refund refund) {
    boolean wasForgotten = false;
    for (int i = grants.size() - 1; i >= 0; i--) {
      SimGrant grant = grants.get(i);
      if (grant.process == process && grant.end() == refund.cursor() && grant.permits > 0) {
        wasForgotten = grant.forgotten;
        while (grant.permits > 0 && grant.end() > refund.to()) {
          grant.permits--;
        }
        break;
      }
    }
    for (SimGrant other : grants) {
      other.forgotten |= wasForgotten && other.process != process && other.end() == refund.cursor();
    }
  }
}
