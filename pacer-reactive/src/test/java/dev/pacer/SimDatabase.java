package dev.pacer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The database as a model: one row, a clock that can be set, and a replica that may not have heard the last commits. */
final class SimDatabase {

  private final SimLoop loop;
  private final SimBug bug;
  private final Deque<Version> versions = new ArrayDeque<>();
  private final Map<Integer, Long> seen = new HashMap<>();
  private Cursor.Row row = Cursor.Row.NONE;
  private long offset = Wire.SHARED_CLOCK;

  /** Everything that was ever granted. */
  final List<SimGrant> grants = new ArrayList<>();

  /** Is told of gates as they change. */
  Consumer<Cursor.Cooldown> notify = cooldown -> {};

  boolean down;
  boolean readOnly;
  boolean locked;

  /** Goes up whenever places of before can no longer be compared. */
  int epoch;

  /** How many permits may be granted for times for which others were granted before, because the clock was set. */
  long astray;

  private record Version(long at, Cursor.Row row, Map<Integer, Long> seen) {}

  SimDatabase(SimLoop loop, SimBug bug) {
    this.loop = loop;
    this.bug = bug;
  }

  long now() {
    return loop.now() + offset;
  }

  private Cursor.Row commit(Cursor.Row next) {
    versions.addLast(new Version(loop.now(), row, Map.copyOf(seen)));
    row = next;
    return next;
  }

  SimGrant take(int process, Cursor.Claim claim) {
    Version stale = bug == SimBug.LOST_UPDATES && grants.size() % 5 == 4 ? versions.peekLast() : null;
    Cursor.Row next = commit(Gcra.take(stale == null ? row : stale.row(), now(), claim));
    epoch += next.clamped() ? 1 : 0;
    astray += next.clamped() ? claim.gcra().burst() + 1 : 0;
    SimGrant grant = new SimGrant(process, claim, next, loop.now(), epoch);
    if (grant.permits() > 0) {
      grants.add(grant);
    }
    return grant;
  }

  boolean giveBack(int process, Cursor.Refund refund) {
    boolean mine = row.cursor() == refund.cursor() && row.seq() == refund.seq();
    boolean blind = bug == SimBug.BLIND_REFUNDS;
    if (!mine && !blind) {
      return false;
    }
    long to = mine ? refund.to() : row.cursor() - (refund.cursor() - refund.to());
    commit(new Cursor.Row(to, 0, row.readAt(), mine ? row.seq() + 1 : refund.seq() + 1, false, row.gate()));
    SimGrant.giveBack(grants, process, refund);
    return true;
  }

  Cursor.Standing peek() {
    return new Cursor.Standing(row.cursor() - now(), row.gate().cooldown(now()));
  }

  Cursor.Cooldown coolDown(Cursor.Stop stop) {
    return gate(stop.backoff().stopped(row.gate(), now(), stop));
  }

  Cursor.Cooldown relax(Cursor.Relief relief) {
    return gate(relief.relax(row.gate()));
  }

  private Cursor.Cooldown gate(Cursor.Gate gate) {
    Cursor.Cooldown cooldown =
        commit(new Cursor.Row(row.cursor(), 0, row.readAt(), row.seq(), false, gate)).gate().cooldown(now());
    notify.accept(cooldown);
    return cooldown;
  }

  Cursor.Fleet checkIn(int process, long memory) {
    if (memory <= 0) {
      return new Cursor.Fleet(0, now());
    }
    seen.put(process, now());
    seen.values().removeIf(at -> now() - at > memory);
    return new Cursor.Fleet(seen.size(), now());
  }

  /** Somebody sets the clock; what was booked for later is then due at other times than its owners think. */
  void setClock(long by, Gcra pace) {
    long forgotten = grants.stream().filter(grant -> grant.epoch == epoch).mapToLong(SimGrant::end).max().orElse(0);
    long ahead = Math.max(0, Math.max(row.cursor(), forgotten) - now());
    astray += ahead / pace.advance(1) + 1 + pace.burst();
    offset += by;
    epoch++;
  }

  boolean wasSet() {
    return offset != Wire.SHARED_CLOCK;
  }

  /** A replica takes over, which has not heard of the last commits. */
  void failOver(long lag) {
    long heard = loop.now() - lag;
    while (!versions.isEmpty() && versions.getLast().at() > heard) {
      Version before = versions.removeLast();
      row = before.row();
      seen.clear();
      seen.putAll(before.seen());
    }
    grants.stream().filter(grant -> grant.at > heard).forEach(grant -> grant.forgotten = true);
  }
}
