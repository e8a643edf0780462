package dev.pacer;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Scheduler;

/** A scheduler that can be held up: what is to run at once, or timers too, as in a process that is stopped. */
final class GateHands implements Scheduler {

  private final Scheduler timers;
  private final Queue<Runnable> held = new ArrayDeque<>();
  private boolean holding;
  private boolean stopped;

  GateHands(Scheduler timers) {
    this.timers = timers;
  }

  void hold() {
    holding = true;
  }

  /** From now on not even a timer rings. */
  void stop() {
    holding = true;
    stopped = true;
  }

  void letGo() {
    holding = false;
    stopped = false;
    for (Runnable task = held.poll(); task != null; task = held.poll()) {
      task.run();
    }
  }

  @Override
  public Disposable schedule(Runnable task) {
    if (holding) {
      held.add(task);
      return Disposables.disposed();
    }
    return timers.schedule(task);
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    return timers.schedule(() -> ring(task), delay, unit);
  }

  private void ring(Runnable task) {
    if (stopped) {
      held.add(task);
    } else {
      task.run();
    }
  }

  @Override
  public Worker createWorker() {
    return timers.createWorker();
  }

  @Override
  public long now(TimeUnit unit) {
    return timers.now(unit);
  }
}
