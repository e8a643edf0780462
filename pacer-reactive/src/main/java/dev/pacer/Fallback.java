package dev.pacer;

import java.time.Duration;

/**
 * What becomes of calls while the cursor cannot be asked, because the database is away, hangs, cannot be written
 * to, or a key's row is locked: this process paces itself, at the pace divided by the number of processes. No call
 * fails for that, and slots in hand stay valid. Immutable.
 *
 * <p>When n processes, which is the right number, have all lost the cursor, they keep the pace between them: in a
 * window of length W at most {@code n × (⌈W / nT⌉ + b − 1)} dispatches, T being the interval and b the burst divided
 * by n, at least 1, or the cost of the dearest call if that is more. What cannot be had without talking to each other
 * is that they take turns.
 *
 * <p>When only some of them have lost it, the others still share the whole pace, so that all together stay below
 * twice the pace. A {@link #slice} prevents that, at a price.
 *
 * @param maxProcesses into how many parts to divide, at least; 0 if that is to be learnt: see {@code heartbeat}.
 *     If nothing was learnt yet, {@value #UNKNOWN_FLEET}
 * @param latch for how long nothing is asked after a failure; then one question is, and the others stay with their
 *     own pace until it is answered
 * @param patience an answer that takes longer counts as none, also while connecting
 * @param heartbeat how often a process says that it is alive, in a row of its own, and counts the others; one that
 *     has missed three is not counted any more, unless it may not have been able to say so. 0 for never
 * @param slice the part of each pace that is set aside for processes that have lost the cursor: 0 for none, or
 *     below 1. With it, those who share the cursor keep to the rest, and everybody together to the pace, whoever has
 *     lost what
 * @param startsWithout whether calls are served before the cursor has been reached for the first time; if not, they
 *     fail with a {@link CursorException}
 */
public record Fallback(
    int maxProcesses, Duration latch, Duration patience, Duration heartbeat, double slice, boolean startsWithout) {

  /** Into how many parts to divide when nobody knows. */
  public static final int UNKNOWN_FLEET = 8;

  /** Learns the number of processes; 5 s latch, 1 s patience, a heartbeat each 10 s, nothing set aside. */
  public static final Fallback DEFAULT =
      new Fallback(
          /* maxProcesses= */ 0,
          Duration.ofSeconds(5),
          Duration.ofSeconds(1),
          Duration.ofSeconds(10),
          /* slice= */ 0,
          /* startsWithout= */ true);

  static final int MOST_PROCESSES = 100_000;

  private static final int REMEMBERED_BEATS = 3;

  public Fallback {
    if (maxProcesses < 0 || maxProcesses > MOST_PROCESSES) {
      throw new IllegalArgumentException("maxProcesses must be 0 to " + MOST_PROCESSES + ", was " + maxProcesses);
    }
    Pacer.Builder.between("latch", latch, Duration.ofMillis(10), Duration.ofHours(1));
    Pacer.Builder.between("patience", patience, Duration.ofMillis(10), Duration.ofMinutes(1));
    if (!heartbeat.isZero()) {
      Pacer.Builder.between("heartbeat", heartbeat, Duration.ofMillis(10), Duration.ofHours(1));
    }
    if (!(slice >= 0 && slice < 1)) {
      throw new IllegalArgumentException("slice must be at least 0 and below 1, was " + slice);
    }
  }

  public Fallback maxProcesses(int most) {
    return new Fallback(most, latch, patience, heartbeat, slice, startsWithout);
  }

  public Fallback latch(Duration time) {
    return new Fallback(maxProcesses, time, patience, heartbeat, slice, startsWithout);
  }

  public Fallback patience(Duration time) {
    return new Fallback(maxProcesses, latch, time, heartbeat, slice, startsWithout);
  }

  public Fallback heartbeat(Duration interval) {
    return new Fallback(maxProcesses, latch, patience, interval, slice, startsWithout);
  }

  public Fallback slice(double part) {
    return new Fallback(maxProcesses, latch, patience, heartbeat, part, startsWithout);
  }

  public Fallback startsWithout(boolean starts) {
    return new Fallback(maxProcesses, latch, patience, heartbeat, slice, starts);
  }

  /** Who was not heard of for so long is not counted; 0 if nobody is to be. */
  long memoryNanos() {
    return REMEMBERED_BEATS * heartbeat.toNanos();
  }

  /** The pace of those who share the cursor. */
  Gcra shared(Gcra pace) {
    return pace.slower(1 / (1 - slice), /* sharers= */ 1);
  }

  /** The pace of one that has lost it, of so many processes as far as is known. */
  Gcra alone(Gcra pace, int seen) {
    int sharers = sharers(seen);
    return pace.slower(slice == 0 ? sharers : sharers / slice, sharers);
  }

  /** Which part of a pace that is, for people. */
  String share(int seen) {
    String guess = maxProcesses == 0 && seen == 0 ? " (a guess: set maxProcesses)" : "";
    return (slice == 0 ? "1" : "" + slice) + "/" + sharers(seen) + " of the pace" + guess;
  }

  private int sharers(int seen) {
    int processes = Math.max(maxProcesses, seen);
    return processes == 0 ? UNKNOWN_FLEET : processes;
  }
}
