package dev.pacer;

import java.util.Random;

/** How the network is at present, the same for all. */
final class SimTrouble {

  final SimBug bug;
  final long quantum;

  /** Slots that are known to be later than this are not used. */
  final long overdue;

  long longest;
  double loss;
  double queueing;

  SimTrouble(SimBug bug, SimPlan plan) {
    this.bug = bug;
    this.quantum = plan.quantum;
    this.overdue = plan.overdue();
    this.longest = plan.longestDelay;
  }

  /** One way. */
  long delay(Random random) {
    return 1_000 + (long) (random.nextDouble() * longest);
  }

  boolean loses(Random random) {
    return loss > 0 && random.nextDouble() < loss;
  }

  /** How long a statement has to wait for its turn, or for a connection. */
  long queue(Random random) {
    return queueing > 0 && random.nextDouble() < queueing ? (long) (random.nextDouble() * 2_500_000_000.0) : 0;
  }
}
