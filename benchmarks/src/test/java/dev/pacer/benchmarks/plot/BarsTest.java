package dev.pacer.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BarsTest {

  private static String drawn(Bars.Bar... bars) {
    return new Bars("ms", List.of(bars)).draw().toString();
  }

  @Test
  void aBarIsAsLongAsItsValueAndItsWhiskerAsWideAsItsSpread() {
    String svg = drawn(new Bars.Bar("pacer", "pacer", 50, 25, 100, "50"));

    assertThat(svg).contains("x=\"0%\" width=\"40%\"").contains("x1=\"20%\" x2=\"80%\"");
  }

  @Test
  void aValueWithoutSpreadHasNoWhisker() {
    assertThat(drawn(new Bars.Bar("pacer", "pacer", 50, 50, 50, "50"))).doesNotContain("whisker");
  }

  @Test
  void aBarBelowNothingGoesTheOtherWay() {
    String svg = drawn(new Bars.Bar("a", "other", 40, 40, 40, "40"), new Bars.Bar("b", "other", -20, -20, -20, "-20"));

    assertThat(svg).contains("x=\"26.67%\" width=\"53.33%\"").contains("x=\"0%\" width=\"26.67%\"");
  }

  @Test
  void anErrorGreaterThanItsValueIsCutOffAtNothing() {
    String svg = drawn(new Bars.Bar("pacer", "pacer", 50, -30, 100, "50"));

    assertThat(svg).contains("x1=\"0%\" x2=\"80%\"").contains("x=\"0%\" width=\"40%\"");
  }
}
