package dev.pacer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One history: a fleet, the database and the vendor in virtual time, with faults. All that is real is the pacer. The
 * seed decides everything, so the same seed is the same history.
 */
final class Simulation {

  private static final long HOURS = 2 * 3_600_000_000_000L; // a cooldown may be that long after the clock was set

  final SimBug bug;
  final Random random;
  final SimPlan plan;
  final SimLoop loop = new SimLoop();
  final SimDatabase database;
  final SimTrouble trouble;
  final SimVendor vendor = new SimVendor(loop);
  final SimFaults faults;

  /** Those that run, and those that ever ran. */
  final List<SimProcess> processes = new ArrayList<>();

  final List<SimProcess> everybody = new ArrayList<>();
  final List<String> violations = new ArrayList<>();
  private final @Nullable List<String> trace;

  private Simulation(long seed, SimBug bug, @Nullable List<String> trace) {
    this.bug = bug;
    this.trace = trace;
    random = new Random(seed * 0x9E3779B97F4A7C15L);
    plan = new SimPlan(random, bug);
    database = new SimDatabase(loop, bug);
    database.notify = cooldown -> processes.forEach(process -> process.wire.tell(cooldown));
    trouble = new SimTrouble(bug, plan);
    faults = new SimFaults(this);
    say(plan::toString);
  }

  /** What is wrong with that history, if anything. */
  static Optional<String> violation(long seed, SimBug bug) {
    return new Simulation(seed, bug, /* trace= */ null).play();
  }

  /** All that happens in it. */
  static List<String> trace(long seed, SimBug bug) {
    List<String> trace = new ArrayList<>();
    new Simulation(seed, bug, trace).play().ifPresent(trace::add);
    return trace;
  }

  private Optional<String> play() {
    for (int i = 0; i < plan.processes; i++) {
      start();
    }
    for (int i = 0; i < plan.calls; i++) {
      planCalls();
    }
    for (int i = 0; i < plan.faults; i++) {
      faults.plan();
    }
    if (random.nextInt(2) == 0) {
      planStop();
    }
    run(plan.length);
    faults.end();
    settle();
    List<SimProcess> alive = List.copyOf(processes);
    new SimJudge(this).beforeClosing(alive);
    alive.forEach(SimProcess::close);
    run(10_000_000_000L);
    new SimJudge(this).afterwards(alive);
    return violations.stream().findFirst();
  }

  /** Until nobody waits any more, nothing is kept, and everybody shares the cursor. */
  private void settle() {
    long end = loop.now() + HOURS;
    while (loop.now() < end && violations.isEmpty() && !isQuiet()) {
      run(5_000_000_000L);
    }
  }

  private boolean isQuiet() {
    return processes.stream().allMatch(process -> process.pacer.size() == 0 && (process.closed || !process.pacer.isDegraded()));
  }

  private void run(long nanos) {
    try {
      loop.run(loop.now() + nanos);
    } catch (InternalError hot) {
      violated(hot.getMessage());
    }
  }

  private SimProcess start() {
    int number = everybody.size();
    SimClock clock = new SimClock(loop, /* present= */ (number + 1) * 1_000_000_000_000L);
    SimWire wire = new SimWire(number, loop, clock, database, trouble, random);
    SimProcess process = new SimProcess(this, number, clock, wire);
    processes.add(process);
    everybody.add(process);
    return process;
  }

  /** Killed, and another one starts in its place. */
  void replace(SimProcess process) {
    process.clock.thaw();
    process.clock.kill();
    processes.remove(process);
    start();
  }

  private void planCalls() {
    long at = anyTime();
    int together = random.nextInt(8) == 0 ? 1 + random.nextInt(8) : 1;
    for (int i = 0; i < together; i++) {
      int cost = random.nextInt(3) == 0 ? 1 + random.nextInt(plan.pace.burst()) : 1;
      Call call = Call.of(cost).priority(Priority.values()[random.nextInt(3)]);
      Call within = random.nextInt(3) == 0 ? call : call.maxWait(Duration.ofMillis(random.nextInt(8_000)));
      long preparation = random.nextInt(3) == 0 ? random.nextInt(30_000_000) : 0;
      long patience = random.nextInt(6) == 0 ? random.nextInt(2_000) * 1_000_000L : -1;
      loop.after(at, () -> come(anyProcess(), within, preparation, patience));
    }
  }

  private void come(SimProcess process, Call call, long preparation, long patience) {
    process.clock.arrive(
        0,
        () -> {
          if (!process.closed) {
            SimCall one = process.call(call, preparation, 0);
            if (patience >= 0) {
              process.clock.arrive(patience, one::abandon);
            }
          }
        });
  }

  private void planStop() {
    long length = (long) (100_000_000 * Math.pow(60, random.nextDouble()));
    boolean withFigure = random.nextBoolean();
    loop.after(anyTime(), () -> {
      say(() -> "the vendor says stop for " + length + " ns");
      vendor.stop(length, withFigure);
    });
  }

  long anyTime() {
    return (long) (random.nextDouble() * plan.length);
  }

  SimProcess anyProcess() {
    return processes.get(random.nextInt(processes.size()));
  }

  void violated(String what) {
    say(() -> "VIOLATION " + what);
    violations.add(what);
  }

  void say(Supplier<String> what) {
    if (trace != null) {
      trace.add(loop.now() + " " + what.get());
    }
  }
}
