package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrivalsTest {

  private static long[] arrivals(long seed) {
    return Arrivals.within(Duration.ofSeconds(100), /* perSecond= */ 1_000, new SplittableRandom(seed));
  }

  private static double[] gaps(long[] arrivals) {
    return IntStream.range(1, arrivals.length).mapToDouble(i -> arrivals[i] - arrivals[i - 1]).toArray();
  }

  @Test
  void theyComeAtTheRateThatWasAskedForAndNoneTooLate() {
    long[] arrivals = arrivals(1);
    assertThat(arrivals.length).isCloseTo(100_000, within(5 * 316)); // five deviations, the root of the count being one
    assertThat(arrivals).isSorted();
    assertThat(arrivals[arrivals.length - 1]).isLessThan(Duration.ofSeconds(100).toNanos());
  }

  /** Of exponential gaps 1 − 1/e are shorter than the mean, and one in e² is longer than twice the mean. */
  @Test
  void gapsAreThoseOfCallsThatKnowNothingOfOneAnother() {
    double[] gaps = gaps(arrivals(2));
    double shorter = IntStream.range(0, gaps.length).filter(i -> gaps[i] < 1e6).count() / (double) gaps.length;
    double long2 = IntStream.range(0, gaps.length).filter(i -> gaps[i] > 2e6).count() / (double) gaps.length;
    assertThat(shorter).isCloseTo(1 - 1 / Math.E, within(0.01));
    assertThat(long2).isCloseTo(1 / (Math.E * Math.E), within(0.01));
  }

  @Test
  void theSameSeedGivesEverybodyTheSameArrivals() {
    assertThat(arrivals(3)).isEqualTo(arrivals(3)).isNotEqualTo(arrivals(4));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN})
  void aRateThatIsNoneIsRefused(double perSecond) {
    assertThatThrownBy(() -> Arrivals.within(Duration.ofSeconds(1), perSecond, new SplittableRandom()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("perSecond must be positive, was " + perSecond);
  }
}
