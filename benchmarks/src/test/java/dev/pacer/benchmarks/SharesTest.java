package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class SharesTest {

  @Test
  void equalSharesHaveJainsIndexOne() {
    assertThat(new Shares(List.of(7L, 7L, 7L)).jain()).isEqualTo(1);
  }

  @Test
  void oneOfFourThatHasEverythingHasAQuarter() {
    assertThat(new Shares(List.of(0L, 9L, 0L, 0L)).jain()).isEqualTo(0.25);
  }

  @Test
  void betweenThemItIsTheSquareOfTheSumOverTheSumOfTheSquares() {
    assertThat(new Shares(List.of(1L, 2L, 3L)).jain()).isCloseTo(36.0 / (3 * 14), within(1e-12));
  }

  @Test
  void theLeastIsComparedWithTheMost() {
    assertThat(new Shares(List.of(4L, 10L, 5L)).leastToMost()).isEqualTo(0.4);
    assertThat(new Shares(List.of(4L, 0L)).leastToMost()).isZero();
  }

  @Test
  void nothingIsSharedEvenly() {
    assertThat(new Shares(List.of(0L, 0L)).jain()).isEqualTo(1);
    assertThat(new Shares(List.of(0L, 0L)).leastToMost()).isEqualTo(1);
  }
}
