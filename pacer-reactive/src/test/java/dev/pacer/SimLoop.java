package dev.pacer;

import java.util.PriorityQueue;

/** The true time, which nobody in a simulation can see, and all that will happen, in its order. */
final class SimLoop {

  private static final long MOST_EVENTS = 60_000;

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now = 1_000_000_000L;
  private long asked;
  long happened;

  private record Event(long at, long number, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
    }
  }

  long now() {
    return now;
  }

  void after(long nanos, Runnable what) {
    events.add(new Event(now + Math.max(0, nanos), asked++, what));
  }

  /** Lets everything happen until then. */
  void run(long until) {
    for (Event next = events.peek(); next != null && next.at <= until; next = events.peek()) {
      events.remove();
      now = next.at;
      if (++happened > MOST_EVENTS) {
        throw new InternalError("loops hot");
      }
      next.what.run();
    }
    now = until;
  }
}
