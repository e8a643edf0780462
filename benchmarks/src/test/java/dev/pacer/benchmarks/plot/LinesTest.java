package dev.pacer.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LinesTest {

  private static final Lines.Line LINE =
      new Lines.Line("pacer", "pacer", 0, List.of(new double[] {1, 10}, new double[] {2, 20}, new double[] {4, 40}));

  @Test
  void betweenItsPointsALineIsWhatItWasLast() {
    assertThat(LINE.at(3)).contains(20.0);
    assertThat(LINE.at(4)).contains(40.0);
  }

  @Test
  void beyondItsPointsALineIsNothing() {
    assertThat(LINE.at(0.5)).isEmpty();
    assertThat(LINE.at(5)).isEmpty();
  }

  @Test
  void aLineGoesUpAndAcrossThePlot() {
    String svg = new Lines("s", "calls", false, List.of(LINE)).draw().toString();

    assertThat(svg).contains("d=\"M0.0 750.0L333.3 500.0L1000.0 0.0\"");
  }
}
