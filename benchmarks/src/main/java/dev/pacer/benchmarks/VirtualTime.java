package dev.pacer.benchmarks;

import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/** Time that passes only when all that was to happen has happened, in its order. For one thread. */
final class VirtualTime implements Scheduler {

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private long asked;

  private static final class Event implements Comparable<Event>, Disposable {

    final long at;
    private final long number;
    private final Runnable task;
    private boolean over;

    Event(long at, long number, Runnable task) {
      this.at = at;
      this.number = number;
      this.task = task;
    }

    void happen() {
      if (!over) {
        over = true;
        task.run();
      }
    }

    @Override
    public int compareTo(Event other) {
      return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
    }

    @Override
    public void dispose() {
      over = true;
    }

    @Override
    public boolean isDisposed() {
      return over;
    }
  }

  long nanos() {
    return now;
  }

  /** Lets everything happen that is due within so many nanoseconds. */
  void pass(long nanos) {
    long until = now + nanos;
    for (Event next = events.peek(); next != null && next.at <= until; next = events.peek()) {
      events.remove();
      now = next.at;
      next.happen();
    }
    now = until;
  }

  @Override
  public long now(TimeUnit unit) {
    return unit.convert(now, TimeUnit.NANOSECONDS);
  }

  @Override
  public Disposable schedule(Runnable task) {
    return schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    Event event = new Event(now + Math.max(0, unit.toNanos(delay)), asked++, task);
    events.add(event);
    return event;
  }

  @Override
  public Worker createWorker() {
    throw new UnsupportedOperationException("nobody needs a worker");
  }
}
