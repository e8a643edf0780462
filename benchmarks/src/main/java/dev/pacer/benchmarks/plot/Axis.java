package dev.pacer.benchmarks.plot;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/**
 * Where values lie between the two ends of a plot.
 *
 * @param title what the values are, and how they are spread if not evenly
 * @param position of a value: 0 at one end, 1 at the other
 * @param ticks ascending
 */
public record Axis(String title, DoubleUnaryOperator position, List<Tick> ticks) {

  /** From here on, most ÷ least, small values could not be told apart on an even scale. */
  private static final double TOO_FAR_APART = 30;

  private static final int MOST_TICKS = 7;
  private static final double[] ROUND_STEPS = {1, 2, 2.5, 5, 10};

  /** A value with its name. */
  public record Tick(double value, String label) {}

  /** Of lengths, which begin at nothing: of 0 or more even, of very different ones logarithmic. */
  public static Axis ofLengths(String title, DoubleSummaryStatistics values) {
    return isWide(values)
        ? logarithmic(title, values.getMin() / 1.5, values.getMax())
        : linear(title, Math.min(0, values.getMin()), Math.max(0, values.getMax()));
  }

  /** Of places, which begin and end where the values do. */
  public static Axis ofPlaces(String title, DoubleSummaryStatistics values) {
    return isWide(values)
        ? logarithmic(title, values.getMin(), values.getMax())
        : linear(title, values.getMin(), values.getMax());
  }

  private static boolean isWide(DoubleSummaryStatistics values) {
    return values.getMin() > 0 && values.getMax() / values.getMin() >= TOO_FAR_APART;
  }

  static Axis linear(String title, double least, double most) {
    double high = most > least ? most : least + 1;
    double step = roundStep((high - least) / (MOST_TICKS - 1));
    long first = (long) Math.floor(least / step + 1e-9);
    long last = (long) Math.ceil(high / step - 1e-9);
    List<Tick> ticks = new ArrayList<>();
    for (long i = first; i <= last; i++) {
      ticks.add(tick(i * step));
    }
    double low = first * step;
    double width = (last - first) * step;
    return new Axis(title, value -> (value - low) / width, ticks);
  }

  private static double roundStep(double atLeast) {
    double power = Math.pow(10, Math.floor(Math.log10(atLeast)));
    for (double step : ROUND_STEPS) {
      if (step * power >= atLeast * (1 - 1e-9)) {
        return step * power;
      }
    }
    return 10 * power;
  }

  static Axis logarithmic(String title, double least, double most) {
    int first = (int) Math.floor(Math.log10(least) + 1e-9);
    int last = Math.max(first + 1, (int) Math.ceil(Math.log10(most) - 1e-9));
    int every = (last - first) / MOST_TICKS + 1;
    List<Tick> ticks = new ArrayList<>();
    for (int power = first; power <= last; power += every) {
      ticks.add(tick(Math.pow(10, power)));
    }
    return new Axis(
        title + ", log scale", value -> (Math.log10(value) - first) / (last - first), ticks);
  }

  /** Of percentiles: 90, 99, 99.9 are as far from one another as what is above them is rare. */
  static Axis percentiles(double most) {
    int last = Math.max(1, (int) Math.ceil(-Math.log10(1 - Math.min(most, 99.99999) / 100) - 1e-6));
    List<Tick> ticks = new ArrayList<>(List.of(new Tick(50, "50 %")));
    for (int nines = 1; nines <= last; nines++) {
      double value = 100 - Math.pow(10, 2 - nines);
      ticks.add(new Tick(value, String.format(Locale.ROOT, nines < 3 ? "%.0f" : "%." + (nines - 2) + "f", value)));
    }
    return new Axis(
        "percentile, log scale of what is above",
        value -> Math.min(1, -Math.log10(1 - Math.min(value, 100 - 1e-9) / 100) / last),
        ticks);
  }

  double at(double value) {
    return position.applyAsDouble(value);
  }

  private static Tick tick(double value) {
    return new Tick(value, label(value));
  }

  /** Short, as there is not much room: 20k, 1.5M, 0.001. */
  static String label(double value) {
    double size = Math.abs(value);
    if (size >= 1e6) {
      return plain(value / 1e6) + "M";
    }
    return size >= 1e4 ? plain(value / 1e3) + "k" : plain(value);
  }

  private static String plain(double value) {
    double rounded = Math.round(value * 1e6) / 1e6;
    if (rounded == 0 && value != 0) {
      return String.format(Locale.ROOT, "%.0e", value);
    }
    return String.format(Locale.ROOT, "%.6f", rounded).replaceFirst("\\.?0+$", "");
  }
}
