package dev.pacer;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The slots that a lane holds, as runs in the order they came. Confined to its lane's drain. */
final class Held {

  private final ArrayDeque<Run> runs = new ArrayDeque<>(2);
  private long count;

  long count() {
    return count;
  }

  boolean isEmpty() {
    return count == 0;
  }

  void add(Run run) {
    runs.addLast(run);
    count += run.remaining();
  }

  /** Puts back in front what was taken and not used. */
  void addFirst(Run run) {
    runs.addFirst(run);
    count += run.remaining();
  }

  @Nullable Run last() {
    return runs.peekLast();
  }

  /** The last of the next {@code permits} slots in a row, or null if there are not so many in a row. */
  Run.@Nullable Slot slot(long permits) {
    long behind = permits - 1;
    Run before = null;
    for (Run run : runs) {
      if (before != null && !run.follows(before)) {
        return null;
      }
      if (behind < run.remaining()) {
        return run.slot(behind);
      }
      behind -= run.remaining();
      before = run;
    }
    return null;
  }

  /** What the last of the next so many permits has to wait, even if no other process takes any. */
  long leastWait(long permits, Gcra gcra, long now) {
    Run last = last();
    if (last == null) {
      return gcra.advance(permits - 1) - gcra.tolerance();
    }
    Run.Slot slot = slot(permits);
    long beyond = permits - count;
    return slot != null ? slot.due() - now : beyond > 0 ? last.behind(0) + gcra.advance(beyond) - now : 0;
  }

  void use(long permits) {
    count -= permits;
    while (permits > 0) {
      Run run = runs.getFirst();
      long some = Math.min(permits, run.remaining());
      run.use(some);
      permits -= some;
      if (run.remaining() == 0) {
        runs.removeFirst();
      }
    }
  }

  /** How many slots in a row are in front; more may lie behind a gap. */
  long inARow() {
    long row = 0;
    Run before = null;
    for (Run run : runs) {
      if (before != null && !run.follows(before)) {
        break;
      }
      row += run.remaining();
      before = run;
    }
    return row;
  }

  /** Takes slots off the end of the last run. */
  Run takeLast(Run last, long permits) {
    Run tail = last.split(Math.min(permits, last.remaining()));
    count -= tail.remaining();
    if (last.remaining() == 0) {
      runs.removeLast();
    }
    return tail;
  }
}
