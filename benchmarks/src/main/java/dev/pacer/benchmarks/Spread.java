package dev.pacer.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** How durations are distributed, in milliseconds. */
record Spread(Histogram histogram) {

  private static final int STEPS_PER_HALF = 5;

  static Spread of(List<Long> nanos) {
    Histogram histogram = new Histogram(Duration.ofHours(1).toNanos(), 3);
    nanos.forEach(one -> histogram.recordValue(Math.max(0, one)));
    return new Spread(histogram);
  }

  double at(double percentile) {
    return histogram.getValueAtPercentile(percentile) / 1e6;
  }

  double max() {
    return histogram.getMaxValue() / 1e6;
  }

  /** Durations, ascending, and how many percent are not longer; the closer to all, the finer. */
  List<double[]> curve() {
    List<double[]> points = new ArrayList<>();
    for (HistogramIterationValue step : histogram.percentiles(STEPS_PER_HALF)) {
      points.add(new double[] {step.getValueIteratedTo() / 1e6, step.getPercentileLevelIteratedTo()});
    }
    return points;
  }
}
