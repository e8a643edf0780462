package dev.pacer;

import java.util.Random;

/** What goes wrong in a history, when, and for how long. */
final class SimFaults {

  private final Simulation sim;
  private final Random random;

  SimFaults(Simulation sim) {
    this.sim = sim;
    this.random = sim.random;
  }

  private enum Kind {
    CUT,
    SILENT,
    DOWN,
    READ_ONLY,
    LOCKED,
    FAILOVER,
    CLOCK,
    STOP,
    SUSPEND,
    LOSS,
    QUEUEING,
    SLOW,
    KILL,
    CLOSE
  }

  /** Something within the history, for 20 ms to 10 s. */
  void plan() {
    Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
    long length = (long) (20_000_000 * Math.pow(500, random.nextDouble()));
    sim.loop.after(sim.anyTime(), () -> begin(kind, length));
  }

  private void begin(Kind kind, long length) {
    sim.say(() -> kind + " for " + length + " ns");
    SimDatabase database = sim.database;
    switch (kind) {
      case CUT, SILENT -> part(kind == Kind.CUT ? SimQuestion.Road.CUT : SimQuestion.Road.SILENT, length);
      case DOWN -> during(length, () -> database.down = true, () -> database.down = false);
      case READ_ONLY -> during(length, () -> database.readOnly = true, () -> database.readOnly = false);
      case LOCKED -> during(length, () -> database.locked = true, () -> database.locked = false);
      case FAILOVER -> failOver(length);
      case CLOCK -> setClock(length);
      case STOP, SUSPEND -> freeze(sim.anyProcess(), kind == Kind.SUSPEND, length);
      case LOSS -> during(length, () -> sim.trouble.loss = 0.3, () -> sim.trouble.loss = 0);
      case QUEUEING -> during(length, () -> sim.trouble.queueing = 0.3, () -> sim.trouble.queueing = 0);
      case SLOW -> during(length, () -> sim.trouble.longest = 240_000_000, () -> sim.trouble.longest = sim.plan.longestDelay);
      case KILL -> sim.replace(sim.anyProcess());
      case CLOSE -> close(sim.anyProcess());
    }
  }

  private void during(long length, Runnable begin, Runnable end) {
    begin.run();
    sim.loop.after(length, end);
  }

  /** One process or more lose the database. */
  private void part(SimQuestion.Road road, long length) {
    boolean everybody = random.nextInt(3) == 0;
    for (SimProcess process : sim.processes) {
      if (everybody || random.nextBoolean()) {
        during(length, () -> process.wire.become(road), () -> process.wire.become(SimQuestion.Road.UP));
      }
    }
  }

  /** At once, or after a while without any database. */
  private void failOver(long length) {
    long lag = (long) (random.nextDouble() * 500_000_000);
    boolean atOnce = random.nextBoolean();
    during(atOnce ? 0 : length, () -> sim.database.down = !atOnce, () -> {
      sim.say(() -> "the last " + lag + " ns are lost");
      sim.database.down = false;
      sim.database.failOver(lag);
    });
  }

  private void setClock(long length) {
    long by = random.nextInt(4) == 0 && !sim.database.wasSet() ? 3_600_000_000_000L : length;
    sim.database.setClock(random.nextBoolean() ? by : -by, sim.plan.gcra);
  }

  private static void freeze(SimProcess process, boolean clockToo, long length) {
    process.clock.freeze(clockToo);
    process.sim.loop.after(length, process.clock::thaw);
  }

  private static void close(SimProcess process) {
    process.clock.arrive(0, process::close);
  }

  /** Everything is well again. */
  void end() {
    sim.processes.forEach(process -> process.clock.thaw());
    sim.processes.forEach(process -> process.wire.become(SimQuestion.Road.UP));
    sim.database.down = false;
    sim.database.readOnly = false;
    sim.database.locked = false;
    sim.trouble.loss = 0;
    sim.trouble.queueing = 0;
    sim.trouble.longest = sim.plan.longestDelay;
  }
}
