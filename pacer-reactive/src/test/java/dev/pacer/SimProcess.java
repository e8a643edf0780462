package dev.pacer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One process: its clock, its wire, its pacer and its calls, and what these have come to. */
final class SimProcess implements PacerListener {

  /**
   * A dispatch.
   *
   * @param at in true time
   * @param local by the process's own clock
   * @param alone whether the slot was one of the process's own
   */
  record Spent(long at, long local, int permits, boolean alone) {}

  final Simulation sim;
  final int number;
  final SimClock clock;
  final SimWire wire;
  final Pacer pacer;
  final List<SimCall> calls = new ArrayList<>();
  final List<Spent> spent = new ArrayList<>();
  private final List<SimGrant> taken = new ArrayList<>();
  boolean closed;
  boolean wasAlone;
  long granted;
  long released;
  long givenBack;
  long lost;
  long latest;
  private long answers;
  private boolean grantedAlone;
  private long late;
  private long knownUntil;

  SimProcess(Simulation sim, int number, SimClock clock, SimWire wire) {
    this.sim = sim;
    this.number = number;
    this.clock = clock;
    this.wire = wire;
    this.knownUntil = sim.loop.now();
    wire.onHeard = this::heard;
    wire.answered = () -> answers;
    wire.onTaken = taken::add;
    this.pacer = sim.plan.pacer(this);
  }

  /** What is heard of a key of which nothing is kept is forgotten. */
  private void heard(Cursor.Cooldown cooldown, long at) {
    if (pacer.size() > 0) {
      stopped(cooldown.remainingNanos() - (sim.loop.now() - at));
    }
  }

  /** From here on it knows. */
  private void stopped(long nanos) {
    if (nanos > 0) {
      sim.say(() -> this + " knows of a cooldown of " + nanos + " ns");
      knownUntil = Math.max(knownUntil, sim.loop.now() + nanos);
    }
  }

  SimCall call(Call call, long preparation, int looks) {
    SimCall one = new SimCall(this, call, preparation, looks);
    calls.add(one);
    one.start();
    return one;
  }

  /** A call has its slot, of which the listener was told just before. */
  void passed(int permits) {
    long now = clock.nanos();
    boolean alone = grantedAlone && taken.stream().noneMatch(grant -> grant.use(now - late));
    spent.add(new Spent(sim.loop.now(), now, permits, alone));
    released += permits;
    sim.say(() -> this + " releases " + permits + (alone ? " alone" : " shared") + ", late " + late);
    mayGo("let a call go");
  }

  /** P6. */
  private boolean mayGo(String what) {
    long left = knownUntil - sim.loop.now();
    if (left > 0 && !closed) {
      sim.violated("P6: " + this + " " + what + " " + left + " ns before the end of a cooldown it knew of");
    }
    return left <= 0;
  }

  @Nullable Sent sending() {
    Sent sent = pacer.sending(World.KEY);
    return sent == null && sim.bug == SimBug.NO_LAST_LOOK ? new Sent(World.KEY, Cursor.Stop.UNKNOWN) : sent;
  }

  void send(Sent sent) {
    long sentAt = mayGo("sent") ? sim.loop.now() : Long.MIN_VALUE;
    GateVendor.Answer answer = sim.vendor.answer();
    clock.arrive(sim.vendor.latency(sim.random), () -> answered(sent, answer, sentAt));
  }

  private void answered(Sent sent, GateVendor.Answer answer, long sentAt) {
    sim.say(() -> this + " hears " + answer);
    if (answer.stop()) {
      Backoff backoff = sim.plan.backoff;
      if (answer.retryAfter() != null) {
        stopped(Math.max(answer.retryAfter().toNanos(), backoff.least().toNanos()));
      } else if (knownUntil <= sentAt && !closed) { // the first to say so
        stopped(backoff.first().toNanos());
      }
    }
    GateWorld.tell(pacer, sent, answer);
  }

  void close() {
    closed = true;
    pacer.close();
  }

  @Override
  public void released(String key, Duration waited, Duration behind) {
    late = behind.toNanos();
    latest = Math.max(latest, late);
  }

  @Override
  public void answered(String key, long asked, long permits, Duration roundTrip) {
    answers++;
    grantedAlone |= permits > 0 && roundTrip.isZero();
    granted += permits;
    sim.say(() -> this + " is granted " + permits + " of " + asked + (roundTrip.isZero() ? " alone" : " in " + roundTrip));
  }

  @Override
  public void givenBack(String key, long permits) {
    givenBack += permits;
    sim.say(() -> this + " gave back " + permits);
  }

  @Override
  public void lost(String key, long permits) {
    lost += permits;
    sim.say(() -> this + " lost " + permits);
  }

  @Override
  public void shut(String key, Duration remaining, int strikes, boolean fresh) {
    sim.say(() -> this + " is shut for " + remaining);
  }

  @Override
  public void degraded(@Nullable String key, Throwable why) {
    wasAlone = true;
    sim.say(() -> this + " is alone: " + why.getMessage());
  }

  @Override
  public void recovered(Duration away, long claims) {
    sim.say(() -> this + " is back after " + away);
  }

  @Override
  public void anomaly(String key, String what) {
    sim.violated("anomaly: " + this + " " + what);
  }

  @Override
  public String toString() {
    return "process " + number;
  }
}
