package dev.pacer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A lane's waiting calls: by priority and arrival, and by deadline. Those that have left are forgotten when
 * they come up or are the majority, so that leaving costs nothing. Confined to its lane's drain.
 */
final class Waiting {

  private static final int FEW = 8;

  private final Line urgent = new Line();
  private final Line normal = new Line();
  private final Line bulk = new Line();
  private final Line[] lines = {urgent, normal, bulk};
  private final PriorityQueue<Waiter> deadlines =
      new PriorityQueue<>(2, (a, b) -> Long.signum(a.deadline - b.deadline));
  private int live;

  private static final class Line {
    final ArrayDeque<Waiter> calls = new ArrayDeque<>(1);
    long permits;
  }

  private Line line(Priority priority) {
    return switch (priority) {
      case URGENT -> urgent;
      case NORMAL -> normal;
      case BULK -> bulk;
    };
  }

  boolean isEmpty() {
    return live == 0;
  }

  /** A call that had left, and is on its way back, waits no more until it is let in again. */
  private static boolean isGone(Waiter waiter) {
    return !waiter.admitted || waiter.hasLeft();
  }

  /** Permits that all waiting calls cost. */
  long permits() {
    return ahead(Priority.BULK);
  }

  /** Permits that the waiting calls cost that would be served before a new call of this priority. */
  long ahead(Priority priority) {
    Line last = line(priority);
    long sum = 0;
    for (Line line : lines) {
      sum += line.permits;
      if (line == last) {
        break;
      }
    }
    return sum;
  }

  void add(Waiter waiter) {
    line(waiter.priority()).calls.addLast(waiter);
    admit(waiter);
  }

  /** A call that had a slot already, and must wait for another: in front, in the order of those slots. */
  void addBack(Waiter waiter) {
    ArrayDeque<Waiter> calls = line(waiter.priority()).calls;
    ArrayDeque<Waiter> before = new ArrayDeque<>(1);
    for (Waiter head = calls.peek(); head != null && head.comesBackBefore(waiter); head = calls.peek()) {
      before.addFirst(calls.remove());
    }
    calls.addFirst(waiter);
    before.forEach(calls::addFirst);
    admit(waiter);
  }

  private void admit(Waiter waiter) {
    Line line = line(waiter.priority());
    waiter.admitted = true;
    line.permits += waiter.permits();
    deadlines.add(waiter);
    live++;
  }

  /** The most urgent call. */
  @Nullable Waiter head() {
    for (Line line : lines) {
      for (Waiter head = line.calls.peek(); head != null; head = line.calls.peek()) {
        if (!isGone(head)) {
          return head;
        }
        line.calls.poll();
      }
    }
    return null;
  }

  /** When the call came that has waited longest, or {@code now} if none waits. */
  long oldest(long now) {
    long oldest = now;
    for (Line line : lines) {
      for (Waiter head = line.calls.peek(); head != null; head = line.calls.peek()) {
        if (!isGone(head)) {
          oldest = head.since - oldest < 0 ? head.since : oldest;
          break;
        }
        line.calls.poll();
      }
    }
    return oldest;
  }

  /** The call that must be served first if it is to be served at all. */
  @Nullable Waiter mostPressed() {
    for (Waiter head = deadlines.peek(); head != null; head = deadlines.peek()) {
      if (!isGone(head)) {
        return head;
      }
      deadlines.poll();
    }
    return null;
  }

  /** Whether each waiting call costs one permit. */
  boolean isPlain() {
    return permits() == live;
  }

  /** What the first call costs that does not get all its slots from the first ones; 1 if there is none. */
  long next(long first) {
    long place = 0;
    for (Line line : lines) {
      for (Waiter waiter : line.calls) {
        place += isGone(waiter) ? 0 : waiter.permits();
        if (place > first) {
          return waiter.permits();
        }
      }
    }
    return 1;
  }

  /** Of {@code most} slots after the first ones, as many as calls can use whole: what is left over is lost. */
  long whole(long first, long most) {
    long place = 0;
    for (Line line : lines) {
      for (Waiter waiter : line.calls) {
        long cost = isGone(waiter) ? 0 : waiter.permits();
        if (place + cost > first + most) {
          return Math.max(0, place - first);
        }
        place += cost;
      }
    }
    return Math.max(0, place - first);
  }

  /** The earliest deadline among the calls that get {@code slots} slots after the first ones, or {@code latest}. */
  long earliestDeadline(long first, long slots, long latest) {
    long place = 0;
    long earliest = latest;
    for (Line line : lines) {
      for (Iterator<Waiter> calls = line.calls.iterator(); place < first + slots && calls.hasNext(); ) {
        Waiter waiter = calls.next();
        if (!isGone(waiter)) {
          place += waiter.permits();
          earliest = place > first && waiter.deadline - earliest < 0 ? waiter.deadline : earliest;
        }
      }
    }
    return earliest;
  }

  /** A call that could be served at that time at the earliest, and then it would be too late. */
  record Hopeless(Waiter waiter, long at) {}

  /** The calls that cannot be served in time if the first slot is at {@code from} and each gets the next. */
  List<Hopeless> hopeless(long from, Gcra gcra) {
    List<Hopeless> hopeless = new ArrayList<>(0);
    long before = 0;
    for (Line line : lines) {
      for (Waiter waiter : line.calls) {
        long at = from + gcra.advance(before + waiter.permits() - 1);
        if (isGone(waiter)) {
          continue;
        }
        if (at - waiter.deadline > 0) {
          hopeless.add(new Hopeless(waiter, at));
        } else {
          before += waiter.permits();
        }
      }
    }
    return hopeless;
  }

  /** The call has left: served, refused or cancelled. */
  void left(Waiter waiter) {
    waiter.admitted = false;
    line(waiter.priority()).permits -= waiter.permits();
    live--;
    if (live == 0) {
      deadlines.clear();
      for (Line line : lines) {
        line.calls.clear();
      }
    } else if (deadlines.size() > 2 * live + FEW) {
      deadlines.removeIf(Waiting::isGone);
      for (Line line : lines) {
        line.calls.removeIf(Waiting::isGone);
      }
    }
  }
}
