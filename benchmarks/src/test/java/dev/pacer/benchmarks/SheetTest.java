package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SheetTest {

  private static final Sheet SHEET =
      new Sheet(
          "throughput",
          "Reservations per second",
          ordered("JDK", "17", "round trip", "+1 ms"),
          List.of("reservations/s", "p50 ms"),
          List.of(
              new Sheet.Row("pacer", Map.of("reservations/s", Sheet.Figure.of(3_000, 1_000, 2_000))),
              new Sheet.Row(
                  "a|b", Map.of("reservations/s", Sheet.Figure.of(12.34), "p50 ms", Sheet.Figure.of(0.00432)))),
          List.of(new Sheet.Curve("pacer", "percentile", "ms", List.of(new double[] {50, 0.1}, new double[] {99, 2}))));

  private static Map<String, String> ordered(String... pairs) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return map;
  }

  private static String printed(Sheet sheet) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    sheet.print(new PrintStream(bytes, /* autoFlush= */ true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
  }

  @Test
  void whatWasWrittenIsReadAgain(@TempDir Path folder) throws Exception {
    Path results = folder.resolve("not there yet");

    SHEET.write(results);

    assertThat(Sheet.read(results.resolve("throughput.json"))).usingRecursiveComparison().isEqualTo(SHEET);
  }

  @Test
  void conditionsStayInTheirOrder(@TempDir Path folder) throws Exception {
    SHEET.write(folder);

    assertThat(Sheet.read(folder.resolve("throughput.json")).conditions().keySet())
        .containsExactly("JDK", "round trip");
  }

  @Test
  void aTableHasARowPerCaseAndSpreadsInBrackets() {
    assertThat(printed(SHEET))
        .isEqualTo(
            """

            ### Reservations per second

            JDK 17, round trip +1 ms

            | case | reservations/s | p50 ms |
            |---|---|---|
            | pacer | 2,000 (1,000 to 3,000) |  |
            | a\\|b | 12.3 | 0.0043 |
            """);
  }

  @Test
  void aNameThatIsNoFilesIsRefused() {
    assertThatThrownBy(() -> new Sheet("../x", "", Map.of(), List.of(), List.of(), List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("name must be a file's, was ../x");
  }

  @Test
  void aDistributionEndsWhereOneValueIsLeft() {
    Histogram nanos = new Histogram(3);
    for (int micros = 1; micros <= 1_000; micros++) {
      nanos.recordValue(micros * 1_000L);
    }

    Sheet.Curve curve = Sheet.Curve.ofNanos("pacer", nanos, "latency, µs", 1e3);

    double[] last = curve.points().get(curve.points().size() - 1);
    assertThat(last[0]).isEqualTo(99.9, within(1e-9));
    assertThat(last[1]).isBetween(998.0, 1_001.0);
    assertThat(curve.points()).isSortedAccordingTo((a, b) -> Double.compare(a[0], b[0]));
  }

  @Test
  void aGoalIsAmongTheConditionsWithItsVerdict() {
    Sheet sheet =
        SHEET.with(Goal.atLeast("hot key, reservations/s:", 500_000, 602_256)).with(Goal.atMost("p50, ms:", 0.5, 0.75));

    assertThat(Goal.of(sheet))
        .containsExactly(
            new Goal("hot key, reservations/s: at least 500,000", "met: 602,256"),
            new Goal("p50, ms: at most 0.5", "missed: 0.7500"));
    assertThat(Goal.of(sheet)).extracting(Goal::met).containsExactly(true, false);
  }

  @Test
  void aGoalSaidInTwoConditionsCountsToo() {
    Sheet sheet = new Sheet("x", "x", ordered("goal", "p99 ≤ 2 ms", "met", "no"), List.of(), List.of(), List.of());

    assertThat(Goal.of(sheet)).containsExactly(new Goal("p99 ≤ 2 ms", "missed"));
  }
}
