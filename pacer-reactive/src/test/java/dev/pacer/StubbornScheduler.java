package dev.pacer;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.test.scheduler.VirtualTimeScheduler;

/**
 * Virtual time with the faults of real time: tasks that are held back while the clock goes on, as in a pause of
 * the process, and a clock that moves between two readings, or steps. For one thread.
 */
final class StubbornScheduler implements Scheduler {

  private final VirtualTimeScheduler time;
  private final Queue<Runnable> late = new ArrayDeque<>();
  private boolean holding;
  private boolean holdingHandOvers;
  private long skew;
  private long perReading;

  StubbornScheduler(VirtualTimeScheduler time) {
    this.time = time;
  }

  /** From now on the clock moves by so much at each reading. */
  StubbornScheduler moving(long nanosPerReading) {
    perReading = nanosPerReading;
    return this;
  }

  void step(long nanos) {
    skew += nanos;
  }

  void holdBack() {
    holding = true;
  }

  /** Holds back what is to run at once, and not the timers. */
  void holdBackHandOvers() {
    holdingHandOvers = true;
  }

  /** Runs what fell due meanwhile, at the present time. */
  void letGo() {
    holding = false;
    holdingHandOvers = false;
    for (Runnable task = late.poll(); task != null; task = late.poll()) {
      task.run();
    }
  }

  @Override
  public long now(TimeUnit unit) {
    skew += perReading;
    return unit.convert(time.now(TimeUnit.NANOSECONDS) + skew, TimeUnit.NANOSECONDS);
  }

  @Override
  public Disposable schedule(Runnable task) {
    return time.schedule(() -> run(task, holding || holdingHandOvers));
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    return time.schedule(() -> run(task, holding), delay, unit);
  }

  private void run(Runnable task, boolean hold) {
    if (hold) {
      late.add(task);
    } else {
      task.run();
    }
  }

  @Override
  public Worker createWorker() {
    return time.createWorker();
  }
}
