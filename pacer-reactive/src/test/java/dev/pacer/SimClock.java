package dev.pacer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * One process's clock, timers and only thread. It can be stopped (SIGSTOP: the clock goes on and the timers ring
 * late), suspended (a virtual machine: the clock stands still as well), and killed.
 */
final class SimClock implements Scheduler {

  private static final int MOST_LOOKS = 100_000;

  private final SimLoop loop;
  private final long origin;
  private final List<Runnable> missed = new ArrayList<>();
  private boolean frozen;
  private boolean suspended;
  private boolean dead;
  private long frozenAt;
  private int pending;
  private long lookedAt;
  private int looks;

  /** For how long it was stopped in all, and suspended. */
  long stoppedFor;

  long suspendedFor;

  SimClock(SimLoop loop, long present) {
    this.loop = loop;
    this.origin = loop.now() - present;
  }

  private final class Timer implements Disposable, Runnable {
    private final Runnable task;
    private final long due;
    private boolean over;

    Timer(Runnable task, long due) {
      this.task = task;
      this.due = due;
      pending++;
    }

    /** Whoever was suspended has timers that ring before their time. */
    @Override
    public void run() {
      long early = due - nanos();
      if (early > 0) {
        arrive(early, this);
      } else if (!over) {
        dispose();
        task.run();
      }
    }

    @Override
    public void dispose() {
      pending -= over ? 0 : 1;
      over = true;
    }

    @Override
    public boolean isDisposed() {
      return over;
    }
  }

  long nanos() {
    return (suspended ? frozenAt : loop.now()) - origin - suspendedFor;
  }

  /** Whoever asks so often what the time is, and gets the same answer, will ask for ever: nothing less stops that. */
  @Override
  public long now(TimeUnit unit) {
    looks = lookedAt == loop.happened ? looks + 1 : 0;
    lookedAt = loop.happened;
    if (looks > MOST_LOOKS) {
      throw new InternalError("loops hot");
    }
    return unit.convert(nanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public Disposable schedule(Runnable task) {
    return schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    long nanos = Math.max(0, unit.toNanos(delay));
    Timer timer = new Timer(task, nanos() + nanos);
    arrive(nanos, timer);
    return timer;
  }

  /** Something from outside, which comes when it comes: the process sees to it as soon as it runs. */
  void arrive(long nanos, Runnable what) {
    loop.after(nanos, () -> happen(what));
  }

  private void happen(Runnable what) {
    if (frozen) {
      missed.add(what);
    } else if (!dead) {
      what.run();
    }
  }

  void freeze(boolean clockToo) {
    if (!frozen) {
      frozen = true;
      suspended = clockToo;
      frozenAt = loop.now();
    }
  }

  void thaw() {
    if (frozen) {
      long length = loop.now() - frozenAt;
      suspendedFor += suspended ? length : 0;
      stoppedFor += suspended ? 0 : length;
      frozen = false;
      suspended = false;
      missed.forEach(what -> arrive(0, what));
      missed.clear();
    }
  }

  void kill() {
    dead = true;
  }

  boolean isDead() {
    return dead;
  }

  /** How many timers are armed. */
  int pending() {
    return pending;
  }

  @Override
  public Worker createWorker() {
    throw new UnsupportedOperationException("nobody needs a worker");
  }
}
