package dev.pacer;

import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Whether the dispatches of a history keep to P1, and to what {@link Fallback} says of processes that are alone. What is
 * allowed beside comes from the faults:
 *
 * <ul>
 *   <li>A release is late by what was published, by the age of its slot on arrival (a slow answer; where a call costs
 *       more than one permit it may need two, and begin with a slot that fell due just before it came), and by what its process cannot know, the time it was suspended.
 *   <li>What a failover has forgotten is granted again, once each; and where the clock is set, what was booked ahead of it
 *       and a burst.
 *   <li>Timers may ring closer together than their slots by {@link Spacing#SLACK}, if these are close.
 * </ul>
 */
final class SimBounds {

  private static final long ROUNDING = 10;

  private final Simulation sim;
  private final SimPlan plan;

  /** How late releases may be for what their process knows, and for what it does not. */
  private final long late;

  private final long unknown;

  /** How many permits failovers and set clocks may have granted again. */
  private final long again;

  SimBounds(Simulation sim) {
    this.sim = sim;
    this.plan = sim.plan;
    this.late = most(process -> process.latest) + ROUNDING;
    long second = plan.gcra.burst() > 1 ? most(process -> process.wire.slowest) + Spacing.SLACK : 0;
    this.unknown = most(process -> process.clock.suspendedFor) + most(process -> process.wire.oldest) + second;
    this.again = sim.database.astray + forgotten();
  }

  private long forgotten() {
    List<SimGrant> grants = sim.database.grants;
    long again = 0;
    for (int i = 0; i < grants.size(); i++) {
      for (int j = 0; j < i; j++) {
        SimGrant earlier = grants.get(j);
        again += earlier.forgotten && earlier.isTakenWith(grants.get(i)) ? grants.get(i).shared(earlier) : 0;
      }
    }
    return again;
  }

  void judge() {
    boolean together = sim.everybody.stream().noneMatch(process -> process.wasAlone);
    Predicate<SimProcess.Spent> shared = together ? any -> true : one -> !one.alone();
    hold("together", spent(shared), wider(plan.fallback.shared(plan.gcra), again), late + unknown);
    sim.everybody.forEach(this::judge);
    if (sim.everybody.stream().allMatch(process -> parts(process) >= plan.processes)) {
      judgeAll();
    }
  }

  /** By its own clock: alone it keeps to its share, and in all to the pace, to which a slice adds its own burst. */
  private void judge(SimProcess process) {
    Gcra share = share(process);
    hold(process + " alone", local(process, SimProcess.Spent::alone), share, late + Spacing.slack(share));
    Gcra least = dearest(plan.fallback.alone(plan.gcra, Math.max(Fallback.UNKNOWN_FLEET, sim.everybody.size())), process);
    long waited = least.advance(least.burst() - 1); // how old the first slots of a dear call are
    long more = sim.database.astray + (plan.fallback.slice() > 0 ? share.burst() : 0);
    hold(process + " in all", local(process, any -> true), wider(plan.gcra, more), late + waited + Spacing.SLACK);
  }

  /** All that are alone keep to the pace, and everybody to twice the pace, or to the pace if a slice is set aside. */
  private void judgeAll() {
    long shares = sim.everybody.stream().mapToLong(process -> share(process).burst()).sum();
    Gcra alone = wider(plan.gcra, shares - plan.gcra.burst());
    hold("all that were alone", spent(SimProcess.Spent::alone), alone, late + unknown + Spacing.SLACK);
    Gcra once = wider(plan.gcra, again + shares);
    Gcra all = plan.fallback.slice() > 0 ? once : new Gcra(once.interval() / 2, once.burst());
    hold("all", spent(any -> true), all, late + unknown + Spacing.SLACK);
  }

  private int parts(SimProcess process) {
    return plan.parts(process.wire.leastFleet);
  }

  private Gcra share(SimProcess process) {
    return dearest(plan.fallback.alone(plan.gcra, parts(process)), process);
  }

  /** A call that costs more than the share of the burst goes all at once, at the last of its slots. */
  private static Gcra dearest(Gcra alone, SimProcess process) {
    int most = process.spent.stream().filter(SimProcess.Spent::alone).mapToInt(SimProcess.Spent::permits).max().orElse(1);
    return new Gcra(alone.interval(), Math.max(alone.burst(), most));
  }

  private static Gcra wider(Gcra gcra, long more) {
    return new Gcra(gcra.interval(), Math.toIntExact(gcra.burst() + more));
  }

  private long most(ToLongFunction<SimProcess> what) {
    return sim.everybody.stream().mapToLong(what).max().orElse(0);
  }

  private List<Window.Spent> spent(Predicate<SimProcess.Spent> which) {
    return line(sim.everybody.stream().flatMap(process -> process.spent.stream()).filter(which), SimProcess.Spent::at);
  }

  private static List<Window.Spent> local(SimProcess process, Predicate<SimProcess.Spent> which) {
    return line(process.spent.stream().filter(which), SimProcess.Spent::local);
  }

  private static List<Window.Spent> line(Stream<SimProcess.Spent> spent, ToLongFunction<SimProcess.Spent> time) {
    return spent
        .map(one -> new Window.Spent(time.applyAsLong(one), one.permits()))
        .sorted(Comparator.comparingLong(Window.Spent::at))
        .toList();
  }

  private void hold(String who, List<Window.Spent> line, Gcra bound, long late) {
    Window.violation(line, bound, late)
        .ifPresent(what -> sim.violated("P1: " + who + ": " + what + " for " + bound + ", " + late + " ns late"));
  }
}
