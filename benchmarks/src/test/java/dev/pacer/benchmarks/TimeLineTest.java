package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.benchmarks.TimeLine.Departure;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeLineTest {

  private static final long SECOND = 1_000_000_000;

  @Test
  void departuresOfAllProcessesAreInOneOrder() {
    assertThat(TimeLine.merge(List.of(List.of(1L, 5L), List.of(), List.of(3L))).departures())
        .containsExactly(new Departure(1, 1), new Departure(3, 3), new Departure(5, 1));
  }

  @Test
  void theFullestWindowMayBeginAnywhere() {
    assertThat(line(0, 90, 100, 110, 180, 400).peak(100)).isEqualTo(4);
  }

  @Test
  void aWindowIsOpenAtItsEnd() {
    assertThat(line(0, 100).peak(100)).isEqualTo(1);
    assertThat(line(0, 99).peak(100)).isEqualTo(2);
    assertThat(line().peak(100)).isZero();
  }

  @ParameterizedTest
  @CsvSource({"7, 0, 7", "7, 1, 8", "1000, 2000000, 1002", "1000, 2000001, 1003"})
  void theBoundGrowsByWhatFitsIntoTheLateness(double perSecond, long late, long bound) {
    assertThat(TimeLine.bound(SECOND, perSecond, late)).isEqualTo(bound);
  }

  @Test
  void distancesAreBetweenNeighboursWhoeverTheyAre() {
    assertThat(TimeLine.merge(List.of(List.of(10L, 40L), List.of(15L))).distances()).containsExactly(5L, 25L);
  }

  @Test
  void theEarliestSaysWhereTheGridLies() {
    assertThat(line(3, 100, 250, 301).behindGrid(/* perSecond= */ 1e7, 4)).containsExactly(3L, 0L, 50L, 1L);
  }

  @Test
  void aLostSlotMovesTheGridForTheNextOnesOnly() {
    assertThat(line(0, 100, 300, 400, 500, 600).behindGrid(/* perSecond= */ 1e7, 3))
        .containsExactly(0L, 0L, 100L, 0L, 0L, 0L);
  }

  @Test
  void aCurveBeginsWithTheFirstDeparture() {
    TimeLine line = TimeLine.merge(List.of(List.of(5 * SECOND), List.of(7 * SECOND, 9 * SECOND)));
    assertThat(line.curve(2)).containsExactly(new double[] {0, 1}, new double[] {2, 2});
  }

  private static TimeLine line(long... times) {
    return TimeLine.merge(List.of(LongStream.of(times).boxed().toList()));
  }
}
