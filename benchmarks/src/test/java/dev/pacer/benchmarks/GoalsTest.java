package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GoalsTest {

  private static Sheet rates(Object... namesAndRates) {
    List<Sheet.Row> rows = new ArrayList<>();
    for (int i = 0; i < namesAndRates.length; i += 2) {
      double rate = (Integer) namesAndRates[i + 1];
      rows.add(new Sheet.Row(
          (String) namesAndRates[i],
          Map.of("reservations/s", Sheet.Figure.of(rate), "round trips/reservation", Sheet.Figure.of(0.004))));
    }
    return new Sheet("x", "x", Map.of(), List.of("reservations/s"), rows, List.of());
  }

  private static List<String> verdicts(Sheet sheet) {
    return Goal.of(sheet).stream().map(goal -> goal.what() + " " + goal.verdict()).toList();
  }

  @Test
  void pacerIsHeldAgainstTheFastestOfTheRivals() {
    Sheet sheet = rates(
        "pacer, hot key, 500 callers", 600_000,
        "Bucket4j batching, hot key, 500 callers on 20 threads", 100_000,
        "Bucket4j batching, hot key, 500 callers on 500 threads", 50_000);

    assertThat(verdicts(Goals.ofThroughput(sheet, /* durable= */ false, 0)))
        .contains(
            "pacer, hot key, 500 callers, reservations/s: at least 500,000 met: 600,000",
            "pacer, hot key, 500 callers ÷ the fastest of \"Bucket4j batching, hot key, 500\", reservations/s:"
                + " at least 10 missed: 6");
  }

  @Test
  void aMillisecondAwayLessIsToBeReached() {
    Sheet sheet = rates("pacer, hot key, 500 callers", 150_000);

    assertThat(verdicts(Goals.ofThroughput(sheet, /* durable= */ false, 1)))
        .containsExactly(
            "pacer, hot key, 500 callers, round trips/reservation: at most 0.02 met: 0.0040",
            "pacer, hot key, 500 callers, reservations/s: at least 200,000 missed: 150,000");
  }

  @Test
  void whereADiskDecidesOnlyRoundTripsAreAGoal() {
    Sheet sheet = rates("pacer, hot key, 500 callers", 100);

    assertThat(verdicts(Goals.ofThroughput(sheet, /* durable= */ true, 0)))
        .containsExactly("pacer, hot key, 500 callers, round trips/reservation: at most 0.02 met: 0.0040");
  }

  @Test
  void ofACaseThatIsNotThereNothingIsSaid() {
    assertThat(verdicts(Goals.ofThroughput(rates("Redisson", 5), /* durable= */ false, 0))).isEmpty();
    assertThat(verdicts(Goals.ofWaiting(rates("Redisson", 5)))).isEmpty();
  }

  @Test
  void oneCallerIsHeldAgainstTheDriverAndBucket4j() {
    List<Sheet.Row> rows = List.of(
        new Sheet.Row("driver, `SELECT $1`", Map.of("÷", Sheet.Figure.of(1.5))),
        new Sheet.Row("Bucket4j", Map.of("÷", Sheet.Figure.of(0.5))));

    Sheet sheet = new Sheet("x", "x", Map.of(), List.of("÷"), rows, List.of());

    assertThat(verdicts(Goals.ofOneCaller(sheet, /* durable= */ true, "÷")))
        .containsExactly("Bucket4j's p50 ÷ pacer's: at least 3 missed: 2");
    assertThat(verdicts(Goals.ofOneCaller(sheet, /* durable= */ false, "÷")))
        .containsExactly("pacer's p50 ÷ the driver's: at most 2 met: 1.50", "Bucket4j's p50 ÷ pacer's: at least 3 missed: 2");
  }
}
