package dev.pacer.postgres;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** What came of each fault, as text. */
final class FaultTable {
  private static final String ROW = "%-55s %10s  %-13s %-13s %12s %14s %12s%n";
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final StringBuilder rows = new StringBuilder();

  void add(Fault fault, Collection<FaultJudge> judges, List<FaultDiary> diaries, long broken, Duration recovery) {
    int dispatched = judges.stream().mapToInt(FaultJudge::dispatches).sum();
    List<String> peaks = judges.stream().map(FaultTable::peak).toList();
    boolean degraded = diaries.stream().anyMatch(diary -> diary.lossesSince(broken) > 0);
    rows.append(
        ROW.formatted(
            fault.name(),
            dispatched,
            peaks.get(0),
            peaks.get(1),
            millis(longestWait(diaries)),
            degraded ? millis(recovery) : "never lost",
            diaries.stream().map(diary -> "" + diary.lossesSince(broken)).collect(Collectors.joining(" + "))));
  }

  /** The fullest second, and the one that is nearest to its bound if that is another. */
  private static String peak(FaultJudge judge) {
    FaultJudge.Window fullest = judge.fullest(SECOND);
    FaultJudge.Window worst = judge.worst(SECOND);
    String peak = fullest.dispatches() + "/" + fullest.bound();
    return worst.above() == fullest.above() ? peak : peak + " " + worst.dispatches() + "/" + worst.bound();
  }

  /** Less what the thread of the call was late. */
  static Duration longestWait(List<FaultDiary> diaries) {
    return Duration.ofNanos(
        FaultMember.PACES.keySet().stream()
            .flatMap(key -> diaries.stream().flatMap(diary -> diary.dispatches(key).stream()))
            .mapToLong(dispatch -> dispatch.waited() - Math.max(0, dispatch.at() - dispatch.due()))
            .max()
            .orElse(0));
  }

  private static String millis(Duration time) {
    return time.toMillis() + " ms";
  }

  String text() {
    return ("%nThree processes share two keys. Dispatches in the fullest second against the bound for that second (and in the one%n"
                + "that is nearest to its bound); how often each process has lost the cursor.%n%n")
            .formatted()
        + ROW.formatted("fault", "dispatched", "bursty", "steady", "longest wait", "recovered", "losses")
        + rows;
  }
}
