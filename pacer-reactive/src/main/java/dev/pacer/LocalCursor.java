package dev.pacer;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Cursors in memory: one process, no database, the same arithmetic. */
final class LocalCursor implements Cursor {

  /** How many remembered keys are dropped at most when another one is forgotten. */
  private static final int SWEPT = 100;

  private final ConcurrentHashMap<String, Row> rows = new ConcurrentHashMap<>();
  /** Keys that nobody uses any more, but that still have strikes: as a set, and as a queue. */
  private final Set<String> strained = ConcurrentHashMap.newKeySet();

  private final Queue<String> remembered = new ConcurrentLinkedQueue<>();
  private volatile Backoff backoff = Backoff.DEFAULT;
  private final Scheduler clock;
  private final long origin;

  LocalCursor(Scheduler clock) {
    this(clock, /* present= */ 0);
  }

  /** Its own clock begins with {@code present}. */
  LocalCursor(Scheduler clock, long present) {
    this.clock = clock;
    this.origin = clock.now(TimeUnit.NANOSECONDS) - present;
  }

  @Override
  public Mono<Grant> take(Claim claim) {
    return Mono.fromSupplier(
        () -> claim.grant(step(claim.key(), row -> Gcra.take(row, now(), claim)), /* roundTripNanos= */ 0));
  }

  @Override
  public Mono<Boolean> giveBack(Refund refund) {
    return Mono.fromSupplier(
        () -> {
          Row row = step(refund.key(), now -> back(now, refund));
          return row.cursor() == refund.to() && row.seq() == refund.seq() + 1;
        });
  }

  private static Row back(Row row, Refund refund) {
    return row.cursor() == refund.cursor() && row.seq() == refund.seq()
        ? new Row(refund.to(), 0, row.readAt(), row.seq() + 1, false, row.gate())
        : row;
  }

  @Override
  public Mono<Standing> peek(String key) {
    return Mono.fromSupplier(
        () -> {
          long now = now();
          Row row = rows.getOrDefault(key, Row.NONE);
          return new Standing(row.cursor() - now, row.gate().cooldown(now));
        });
  }

  @Override
  public Mono<Cooldown> coolDown(Stop stop) {
    return Mono.fromSupplier(
        () -> {
          backoff = stop.backoff();
          return step(stop.key(), row -> with(row, stop.backoff().stopped(row.gate(), now(), stop))).cooldown();
        });
  }

  @Override
  public Mono<Cooldown> relax(Relief relief) {
    return Mono.fromSupplier(
        () -> step(relief.key(), row -> with(row, relief.relax(row.gate()))).cooldown());
  }

  /** What some other cursor says of a gate. A generation of before says only how long the gate stays shut. */
  void learn(String key, Cooldown cooldown) {
    boolean calm = cooldown.remainingNanos() <= 0 && cooldown.strikes() == 0 && cooldown.widening() == 0;
    if (!calm || knows(key)) {
      step(key, row -> with(row, learn(row.gate(), now() + cooldown.remainingNanos(), cooldown)));
    }
  }

  private static Gate learn(Gate gate, long until, Cooldown cooldown) {
    long later = cooldown.remainingNanos() > 0 ? Math.max(gate.shutUntil(), until) : gate.shutUntil();
    return cooldown.generation() < gate.generation()
        ? new Gate(later, gate.strikes(), gate.generation(), gate.widening())
        : new Gate(later, cooldown.strikes(), cooldown.generation(), cooldown.widening());
  }

  boolean knows(String key) {
    return rows.containsKey(key);
  }

  /** The key's cursor, 0 if it was never used. */
  long cursor(String key) {
    return rows.getOrDefault(key, Row.NONE).cursor();
  }

  Cooldown cooldown(String key) {
    return rows.getOrDefault(key, Row.NONE).gate().cooldown(now());
  }

  private Row with(Row row, Gate gate) {
    return new Row(row.cursor(), row.granted(), now(), row.seq(), row.clamped(), gate);
  }

  private Row step(String key, UnaryOperator<Row> step) {
    return rows.compute(key, (k, row) -> step.apply(row == null ? Row.NONE : row));
  }

  @Override
  public Mono<Fleet> checkIn(long memoryNanos) {
    return Mono.fromSupplier(() -> new Fleet(1, now()));
  }

  /** There are no other processes. */
  @Override
  public Flux<Notice> notices() {
    return Flux.never();
  }

  /** A row of the past says no more than none. One that still has strikes does, until they have fallen with time. */
  @Override
  public void forget(String key) {
    if (!drop(key) && strained.add(key)) {
      remembered.add(key);
    }
    for (int i = 0; i < SWEPT; i++) {
      String earlier = remembered.poll();
      if (earlier == null) {
        return;
      }
      if (!drop(earlier)) {
        remembered.add(earlier);
        return;
      }
      strained.remove(earlier);
    }
  }

  /** Whether there is nothing left to be forgotten. */
  private boolean drop(String key) {
    return rows.computeIfPresent(key, (k, row) -> isOver(row) ? null : row) == null;
  }

  private boolean isOver(Row row) {
    long now = now();
    return row.cursor() <= now && row.gate().shutUntil() <= now && backoff.strikesLeft(row.gate(), now) == 0;
  }

  @Override
  public Mono<Void> close() {
    return Mono.empty();
  }

  int size() {
    return rows.size();
  }

  long now() {
    return clock.now(TimeUnit.NANOSECONDS) - origin;
  }
}
