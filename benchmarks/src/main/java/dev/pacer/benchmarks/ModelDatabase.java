package dev.pacer.benchmarks;

import dev.pacer.Cursor;
import dev.pacer.CursorBridge;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * PostgreSQL as a model in virtual time: rows that work for one statement at a time, and a network. The arithmetic is
 * the library's own.
 */
final class ModelDatabase {

  /** Out and back. */
  static final Duration ROUND_TRIP = Duration.ofMillis(1);

  /** For how long a statement keeps its rows from others. */
  static final Duration SERVICE = Duration.ofNanos(50_000);

  /** The same, for each further key of the same statement. */
  static final Duration FURTHER_KEY = Duration.ofNanos(20_000);

  static final Duration SOONEST_NOTICE = Duration.ofMillis(1);
  static final Duration LATEST_NOTICE = Duration.ofMillis(5);

  private static final long PRESENT = Duration.ofDays(20_000).toNanos();

  private final VirtualTime time;
  private final Random random;
  private final boolean notifies;
  private final Cursor rows;
  private final List<ModelWire> wires = new ArrayList<>();
  private final Map<String, Long> busyUntil = new HashMap<>();
  private long statements;
  private long steps;

  ModelDatabase(VirtualTime time, Random random, boolean notifies) {
    this.time = time;
    this.random = random;
    this.notifies = notifies;
    this.rows = CursorBridge.inMemory(time, PRESENT);
  }

  ModelWire connect() {
    ModelWire wire = new ModelWire(this, time);
    wires.add(wire);
    return wire;
  }

  Cursor rows() {
    return rows;
  }

  /** How many statements were carried out. */
  long statements() {
    return statements;
  }

  /** How many rows they were about; a statement can be about several. */
  long steps() {
    return steps;
  }

  /** Carries out a statement when its rows are free; the answer comes when it is over. */
  void carryOut(Collection<String> keys, Runnable step, Runnable answer) {
    time.schedule(() -> arrived(keys, step, answer), oneWay(), TimeUnit.NANOSECONDS);
  }

  private void arrived(Collection<String> keys, Runnable step, Runnable answer) {
    statements++;
    steps += keys.size();
    long start = keys.stream().mapToLong(key -> busyUntil.getOrDefault(key, 0L)).max().orElse(0);
    long wait = Math.max(0, start - time.nanos());
    long service = SERVICE.toNanos() + (keys.size() - 1) * FURTHER_KEY.toNanos();
    keys.forEach(key -> busyUntil.put(key, time.nanos() + wait + service));
    time.schedule(step, wait, TimeUnit.NANOSECONDS);
    time.schedule(answer, wait + service + oneWay(), TimeUnit.NANOSECONDS);
  }

  /** A tenth more or less, or all would march in step. */
  private long oneWay() {
    return (long) (ROUND_TRIP.toNanos() * (0.45 + 0.1 * random.nextDouble()));
  }

  void tell(Cursor.Notice notice) {
    if (notifies) {
      wires.forEach(wire -> time.schedule(() -> wire.hear(notice), noticeDelay(), TimeUnit.NANOSECONDS));
    }
  }

  private long noticeDelay() {
    return (long) (SOONEST_NOTICE.toNanos()
        + random.nextDouble() * LATEST_NOTICE.minus(SOONEST_NOTICE).toNanos());
  }
}
