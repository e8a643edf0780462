package dev.pacer;

import java.time.Duration;
import java.util.List;

/** Whether a history has kept the promises. */
final class SimJudge {

  private final Simulation sim;
  private final SimPlan plan;

  SimJudge(Simulation sim) {
    this.sim = sim;
    this.plan = sim.plan;
  }

  void beforeClosing(List<SimProcess> alive) {
    for (SimProcess process : alive) {
      demand(process.pacer.size() == 0, "a lane stays: " + process);
      demand(process.closed || !process.pacer.isDegraded(), "P11: " + process + " stays alone");
    }
  }

  void afterwards(List<SimProcess> alive) {
    for (SimProcess process : alive) {
      demand(process.clock.pending() == 0, process + " leaves " + process.clock.pending() + " timers");
      demand(
          process.granted == process.released + process.givenBack + process.lost,
          "P9: " + process + " was granted " + process.granted + ", released " + process.released + ", gave back "
              + process.givenBack + ", lost " + process.lost);
      demand(process.latest <= plan.overdue(), "P3: " + process + " was " + process.latest + " ns late");
      process.calls.forEach(call -> judge(process, call));
    }
    slots();
    new SimBounds(sim).judge();
  }

  /** P8, P11. */
  private void judge(SimProcess process, SimCall call) {
    demand(!call.waits(), "P8: " + process + " lets a call wait for ever: " + call);
    Duration own = call.call.maxWait();
    long budget = own == null ? Duration.ofSeconds(20).toNanos() : own.toNanos();
    long most = budget + 2 * plan.fallback.patience().toNanos() + 1; // for a claim under way, and then for its own
    demand(call.took <= most, "P8: " + process + " let a call wait beyond its budget: " + call);
    Throwable error = call.error;
    if (error instanceof RateLimitedException refusal) {
      demand(refusal.waitNeeded().toNanos() > budget, "P8: " + process + " refused without need: " + call);
    } else {
      boolean closed = process.closed && error instanceof PacerClosedException;
      demand(error == null || closed, "P11: " + process + " failed a call: " + call);
    }
  }

  /**
   * P1 of the slots: no place is granted twice, unless the first time was forgotten by a failover, and then to nobody
   * who knew of it: whoever was granted it the first time. Whoever was alone meanwhile knows it by the distance of the
   * clocks, which is not true any more when one of them was set.
   */
  private void slots() {
    List<SimGrant> grants = sim.database.grants;
    for (int i = 0; i < grants.size(); i++) {
      for (int j = 0; j < i; j++) {
        SimGrant later = grants.get(i);
        SimGrant earlier = grants.get(j);
        if (later.isTakenWith(earlier) && later.shared(earlier) > 0) {
          boolean knew = earlier.process == later.process && !(sim.database.wasSet() && wasAlone(later.process));
          demand(
              earlier.forgotten && !knew,
              "P1: granted twice: " + earlier + " and " + later);
        }
      }
    }
  }

  private boolean wasAlone(int process) {
    return sim.everybody.get(process).wasAlone;
  }

  private void demand(boolean kept, String what) {
    if (!kept) {
      sim.violated(what);
    }
  }
}
