package dev.pacer;

import java.time.Duration;
import java.util.Random;

/** What is chosen before a history begins: the fleet, its pace and its settings. */
final class SimPlan {

  private static final long[] INTERVALS = {7_000_000, 20_000_000, 100_000_000, 333_333_333, 1_000_000_000};

  final SimBug bug;
  final int processes;
  final Pace pace;
  final Gcra gcra;
  final Backoff backoff;
  final Fallback fallback;
  final long quantum = 100_000_000;
  final long longestDelay;
  final int calls;
  final long length;
  final int faults;

  SimPlan(Random random, SimBug bug) {
    this.bug = bug;
    processes = 1 + random.nextInt(4);
    long interval = INTERVALS[random.nextInt(INTERVALS.length)];
    int burst = random.nextInt(5) < 3 ? 1 : 2 + random.nextInt(4);
    pace = Pace.of(2 * burst, Duration.ofNanos(interval * (burst + 1L))).burst(burst);
    gcra = pace.gcra();
    long first = 300_000_000L + random.nextInt(3_000) * 1_000_000L;
    int widest = random.nextInt(3);
    backoff =
        Backoff.DEFAULT
            .jitter(Duration.ZERO)
            .least(Duration.ofMillis(200))
            .first(Duration.ofNanos(first), Duration.ofNanos(4 * first))
            .decay(Duration.ofSeconds(10))
            .widening(widest, 1 + random.nextInt(5), random.nextBoolean());
    boolean learns = random.nextInt(3) == 0;
    fallback =
        new Fallback(
            learns ? 0 : processes,
            Duration.ofMillis(300 + random.nextInt(3_000)),
            Duration.ofSeconds(1),
            learns || random.nextBoolean() ? Duration.ofSeconds(5) : Duration.ZERO,
            random.nextInt(4) == 0 ? 0.3 : 0,
            /* startsWithout= */ true);
    longestDelay = new long[] {300_000, 3_000_000, 40_000_000}[random.nextInt(3)];
    calls = 10 + random.nextInt(60);
    long busy = (long) (calls * gcra.advance(1) * (0.3 + random.nextDouble()));
    length = Math.max(1_000_000_000L, Math.min(busy, 30_000_000_000L));
    faults = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(5);
  }

  Pacer pacer(SimProcess process) {
    Pacer.Builder builder =
        Pacer.builder()
            .scheduler(process.clock)
            .cursor(process.wire)
            .listener(process)
            .defaultPace(pace)
            .quantum(Duration.ofNanos(quantum))
            .maxWait(Duration.ofSeconds(20))
            .longestWait(Duration.ofSeconds(60))
            .backoff(backoff)
            .fallback(bug == SimBug.UNDIVIDED ? fallback.maxProcesses(1).heartbeat(Duration.ZERO) : fallback);
    return (bug == SimBug.NO_FALLBACK ? builder.noFallback() : builder).build();
  }

  /** The least number of parts into which a process has divided: nobody has told it yet, or so many at least. */
  int parts(long leastFleet) {
    int untold = fallback.maxProcesses() == 0 ? Fallback.UNKNOWN_FLEET : fallback.maxProcesses();
    return (int) Math.min(untold, Math.max(fallback.maxProcesses(), leastFleet));
  }

  /** P3: slots that are later than this are not used. */
  long overdue() {
    long interval = gcra.widened(backoff.shared() ? 0 : backoff.widest()).advance(1);
    return interval < quantum ? Math.max(2 * Spacing.SLACK, interval) : Math.max(quantum, interval / 100);
  }

  @Override
  public String toString() {
    return processes + " processes, " + pace + ", " + calls + " calls in " + Duration.ofNanos(length) + ", " + fallback
        + ", " + backoff + ", one way up to " + Duration.ofNanos(longestDelay);
  }
}
