package dev.pacer.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AxisTest {

  private static Axis lengths(double... values) {
    return Axis.ofLengths("ms", DoubleStream.of(values).summaryStatistics());
  }

  private static List<String> labels(Axis axis) {
    return axis.ticks().stream().map(Axis.Tick::label).toList();
  }

  @Test
  void lengthsBeginAtNothing() {
    Axis axis = lengths(40, 60, 95);

    assertThat(labels(axis)).containsExactly("0", "20", "40", "60", "80", "100");
    assertThat(axis.at(0)).isZero();
    assertThat(axis.at(50)).isEqualTo(0.5);
    assertThat(axis.title()).isEqualTo("ms");
  }

  @Test
  void lengthsBelowNothingHaveRoom() {
    Axis axis = lengths(-4, 160);

    assertThat(axis.at(-4)).isBetween(0.0, 1.0);
    assertThat(axis.ticks()).extracting(Axis.Tick::value).contains(0.0);
  }

  @Test
  void lengthsThatAreFarApartAreLogarithmicAndSaySo() {
    Axis axis = lengths(20, 600_000);

    assertThat(labels(axis)).containsExactly("10", "100", "1000", "10k", "100k", "1M");
    assertThat(axis.at(1_000)).isEqualTo(0.4, within(1e-9));
    assertThat(axis.title()).isEqualTo("ms, log scale");
  }

  @Test
  void theShortestOfManyLengthsIsStillSeen() {
    assertThat(lengths(100, 100_000).at(100)).isPositive();
  }

  @Test
  void nothingHasNoLogarithm() {
    assertThat(lengths(0, 1, 1_000).title()).isEqualTo("ms");
  }

  @Test
  void lengthsThatAreAllNothingHaveAnAxis() {
    assertThat(lengths(0, 0).at(0)).isZero();
  }

  @Test
  void placesBeginWhereTheValuesDo() {
    Axis axis = Axis.ofPlaces("s", DoubleStream.of(1_000, 1_030).summaryStatistics());

    assertThat(labels(axis)).startsWith("1000").endsWith("1030");
  }

  @ParameterizedTest
  @CsvSource({"0.003, 0.0047", "7, 7.001", "1e-9, 1", "1, 1e12", "0, 123456", "99, 101"})
  void ticksAreFewRoundAndEncloseTheValues(double least, double most) {
    Axis axis = Axis.ofPlaces("x", DoubleStream.of(least, most).summaryStatistics());

    assertThat(axis.ticks()).hasSizeBetween(2, 9).extracting(Axis.Tick::value).isSorted();
    assertThat(axis.at(least)).isBetween(-1e-9, 1 + 1e-9);
    assertThat(axis.at(most)).isBetween(-1e-9, 1 + 1e-9);
    assertThat(labels(axis)).doesNotHaveDuplicates();
  }

  @Test
  void eachFurtherNineOfAPercentileIsAsFarAsTheOneBefore() {
    Axis axis = Axis.percentiles(99.95);

    assertThat(labels(axis)).containsExactly("50 %", "90", "99", "99.9", "99.99");
    assertThat(axis.at(90)).isEqualTo(0.25, within(1e-9));
    assertThat(axis.at(99)).isEqualTo(0.5, within(1e-9));
    assertThat(axis.at(99.9)).isEqualTo(0.75, within(1e-9));
    assertThat(axis.at(100)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"1500000, 1.5M", "20000, 20k", "9999, 9999", "0.001, 0.001", "0, 0", "-4, -4"})
  void labelsAreShort(double value, String label) {
    assertThat(Axis.label(value)).isEqualTo(label);
  }
}
