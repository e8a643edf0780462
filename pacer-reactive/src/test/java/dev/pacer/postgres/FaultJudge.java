package dev.pacer.postgres;

import dev.pacer.Pace;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Holds the merged dispatches of all processes for one key against what is promised for each window of time.
 *
 * <p>A dispatch has a slot of the shared cursor or one of its process's own, and each kind has its bound. In a window of
 * length W, T being the interval, B the burst, N the processes and b = max(1, B / N):
 *
 * <pre>
 *   shared            ⌈S / T⌉ + B − 1       S: the part of W in which some process shares the cursor
 *   of each process   ⌈A / NT⌉ + b − 1      A: the part of W in which it paces itself
 * </pre>
 *
 * <p>Each only if its part is not empty. So while all share that is P1, while all are without the cursor it is what {@link
 * dev.pacer.Fallback} says, and with some of them cut off it is below 2R plus the bursts. Parts overlap at the seams:
 * slots in hand stay valid, and they are of the kind that was.
 *
 * <p>A window begins as much earlier as the earliest slot in it was due before its call went: that is the ε of P1, not
 * as a constant but as it was. What is not measured is the way from the driver to the lane, and that is {@link #UNSEEN}.
 *
 * <p>If the database forgets what it has granted, or its clock jumps, whoever asks first has slots that lie where others
 * have some in hand: at most all those, and a burst.
 */
final class FaultJudge {
  private static final Duration QUANTUM = Duration.ofMillis(100);
  private static final Duration UNSEEN = Duration.ofMillis(5);

  private final List<FaultDiary.Dispatch> dispatches;
  private final List<List<FaultDiary.Absence>> absences;
  private final List<FaultDiary.Absence> jumps;
  private final long interval;
  private final int burst;
  private final int processes;

  /**
   * @param processes among how many a pace is divided
   * @param jumps from when to when the database may have lost its memory, or have got another clock, each of them once
   */
  FaultJudge(
      String key, Pace pace, int processes, List<FaultDiary> diaries, List<FaultDiary.Absence> jumps) {
    this.dispatches =
        diaries.stream()
            .flatMap(diary -> diary.dispatches(key).stream())
            .sorted(Comparator.comparingLong(FaultDiary.Dispatch::at))
            .toList();
    this.absences = diaries.stream().map(diary -> diary.absences(key, FaultMember.LATCH)).toList();
    this.jumps = jumps;
    this.burst = pace.burst();
    this.interval = pace.interval().toNanos();
    this.processes = processes;
  }

  /** A window that begins with a dispatch: how many there are, and how many there may be. */
  record Window(int dispatches, int bound) {
    int above() {
      return dispatches - bound;
    }
  }

  int dispatches() {
    return dispatches.size();
  }

  /** Where most goes. */
  Window fullest(Duration length) {
    return windows(length).max(Comparator.comparingInt(Window::dispatches)).orElseThrow();
  }

  /** Where the bound is nearest, or most exceeded. */
  Window worst(Duration length) {
    return windows(length).max(Comparator.comparingInt(Window::above)).orElseThrow();
  }

  private Stream<Window> windows(Duration length) {
    return IntStream.range(0, dispatches.size()).mapToObj(first -> window(first, length.toNanos()));
  }

  private Window window(int first, long length) {
    long from = dispatches.get(first).at();
    long earliest = from;
    int next = first;
    while (next < dispatches.size() && dispatches.get(next).at() - from < length) {
      earliest = Math.min(earliest, dispatches.get(next++).due() - UNSEEN.toNanos());
    }
    return new Window(next - first, bound(earliest, from + length));
  }

  private int bound(long from, long to) {
    long bound = slots(shared(from, to), interval, burst);
    for (List<FaultDiary.Absence> own : absences) {
      bound += slots(alone(own, from, to), interval * processes, Math.max(1, burst / processes));
    }
    for (FaultDiary.Absence jump : jumps) {
      boolean seen = jump.from() < to && from < jump.to() + lead();
      bound += seen ? processes * inHand(interval) + burst : 0;
    }
    return Math.toIntExact(bound);
  }

  private static long slots(Span span, long interval, int burst) {
    return span.isEmpty() ? 0 : (span.length() + interval - 1) / interval + burst - 1;
  }

  /** Slots of its own that a process has in hand when it is back are used; and claims of before may prolong it. */
  private Span alone(List<FaultDiary.Absence> own, long from, long to) {
    long tail = FaultMember.PATIENCE.toNanos() + (inHand(interval * processes) + 1) * interval * processes;
    Span span = Span.EMPTY;
    for (FaultDiary.Absence absence : own) {
      span = span.with(from, to, absence.from(), absence.to() + tail);
    }
    return span;
  }

  /** Shared slots in hand, and those of an answer that is under way, are used although the cursor is lost. */
  private Span shared(long from, long to) {
    long tail = FaultMember.PATIENCE.toNanos() + lead();
    Span span = Span.EMPTY;
    for (List<FaultDiary.Absence> own : absences) {
      long since = from;
      for (FaultDiary.Absence absence : own) {
        span = span.with(from, to, since, absence.from() + tail);
        since = absence.to();
      }
      span = span.with(from, to, since, to);
    }
    return span;
  }

  /** How far ahead the slots in hand of all processes may lie, with the one that is due. */
  private long lead() {
    return (processes * inHand(interval) + 1) * interval;
  }

  /** How many slots all processes may hold at the same time. */
  static long inHand(Pace pace, int processes) {
    return processes * inHand(pace.interval().toNanos());
  }

  /** How many slots that are not due yet a process holds at most. */
  private static long inHand(long interval) {
    return Math.max(1, QUANTUM.toNanos() / interval);
  }

  /** From the first to the last instant of something in a window. */
  private record Span(long from, long to) {
    static final Span EMPTY = new Span(Long.MAX_VALUE, Long.MIN_VALUE);

    /** With what of a time lies in the window. */
    Span with(long windowFrom, long windowTo, long timeFrom, long timeTo) {
      long first = Math.max(windowFrom, timeFrom);
      long last = Math.min(windowTo, timeTo);
      return first >= last ? this : new Span(Math.min(from, first), Math.max(to, last));
    }

    boolean isEmpty() {
      return from >= to;
    }

    long length() {
      return to - from;
    }
  }
}
