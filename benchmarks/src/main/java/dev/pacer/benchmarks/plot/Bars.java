package dev.pacer.benchmarks.plot;

import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * A bar per case as long as its value, with a whisker from the least to the most that was measured.
 *
 * @param title of the values, with their unit
 */
public record Bars(String title, List<Bar> bars) {

  /** What the bars have of the width; behind them is the value in figures. */
  private static final double WIDTH = 0.8;

  private static final int HEIGHT = 26;
  private static final int TOP = 6;
  private static final int THICKNESS = 14;

  /**
   * One case.
   *
   * @param hue its style class, from {@link Hues}
   * @param label the value in figures
   */
  public record Bar(String name, String hue, double value, double least, double most, String label) {}

  public Element draw() {
    Axis axis = Axis.ofLengths(title, values());
    Element plot = Element.ofClass("div", "bars");
    plot.add(Element.ofClass("span", "axis-title").text(axis.title()));
    for (Bar bar : bars) {
      plot.add(Element.ofClass("span", "name").text(bar.name()), draw(bar, axis));
    }
    return plot.add(Element.of("span"), labels(axis));
  }

  /** An error greater than its value goes beyond nothing, where the value cannot be; the axis need not follow it. */
  private DoubleSummaryStatistics values() {
    return bars.stream()
        .flatMapToDouble(bar -> DoubleStream.of(bar.value(), bar.least() > 0 ? bar.least() : bar.value(), bar.most()))
        .summaryStatistics();
  }

  private static Element draw(Bar bar, Axis axis) {
    Element svg = Element.of("svg", "class", "bar " + bar.hue(), "height", HEIGHT, "role", "img");
    svg.add(Element.of("title").text(bar.name() + ": " + bar.label()));
    for (Axis.Tick tick : axis.ticks()) {
      svg.add(vertical("grid", place(axis, tick.value()), 0, HEIGHT));
    }
    double start = place(axis, axis.ticks().get(0).value() < 0 ? 0 : axis.ticks().get(0).value());
    double end = place(axis, bar.value());
    svg.add(
        Element.of(
            "rect",
            "x", Element.percent(Math.min(start, end)),
            "width", Element.percent(Math.abs(end - start)),
            "y", TOP,
            "height", THICKNESS));
    if (bar.most() > bar.least()) {
      double least = Math.max(bar.least(), axis.ticks().get(0).value());
      whisker(svg, place(axis, least), place(axis, bar.most()));
    }
    String edge = Element.percent(Math.max(start, place(axis, Math.max(bar.value(), bar.most()))));
    return svg.add(Element.of("text", "x", edge, "dx", 7, "y", TOP + THICKNESS / 2, "dy", ".35em").text(bar.label()));
  }

  private static void whisker(Element svg, double least, double most) {
    int middle = TOP + THICKNESS / 2;
    Element line = Element.of(
        "line", "class", "whisker", "x1", Element.percent(least), "x2", Element.percent(most), "y1", middle, "y2", middle);
    svg.add(line, vertical("whisker", least, middle - 4, middle + 4), vertical("whisker", most, middle - 4, middle + 4));
  }

  private static Element labels(Axis axis) {
    Element svg = Element.of("svg", "class", "ticks", "height", 18);
    for (Axis.Tick tick : axis.ticks()) {
      svg.add(Element.of("text", "x", Element.percent(place(axis, tick.value())), "y", 13).text(tick.label()));
    }
    return svg;
  }

  private static double place(Axis axis, double value) {
    return axis.at(value) * WIDTH;
  }

  static Element vertical(String styleClass, double x, int top, int bottom) {
    String percent = Element.percent(x);
    return Element.of("line", "class", styleClass, "x1", percent, "x2", percent, "y1", top, "y2", bottom);
  }
}
