package dev.pacer.benchmarks.plot;

import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A line per case. Colour tells whose it is, dashes tell the cases of one apart.
 *
 * @param percentiles whether x is a percentile
 */
public record Lines(String x, String y, boolean percentiles, List<Line> lines) {

  private static final int HEIGHT = 300;

  /** Ticks and points are computed in different ways. */
  private static final double SLACK = 1e-6;

  /** To as many parts the place of a point is told. */
  private static final int GRAIN = 1_000;

  /**
   * One case.
   *
   * @param hue its style class, from {@link Hues}
   * @param dash how many others of the same colour there are before it
   * @param points pairs of x and y
   */
  public record Line(String name, String hue, int dash, List<double[]> points) {

    /** What it was last, on its way to x; nothing before its first point, and nothing after its last. */
    public Optional<Double> at(double x) {
      if (points.isEmpty() || x > points.get(points.size() - 1)[0] + SLACK) {
        return Optional.empty();
      }
      return points.stream().filter(point -> point[0] <= x + SLACK).reduce((first, last) -> last).map(point -> point[1]);
    }

    String style() {
      return hue + " dash" + dash % 4;
    }
  }

  public Element draw() {
    Axis across = across();
    Axis up = Axis.ofLengths(y, of(1));
    Element svg = Element.of("svg", "class", "lines", "height", HEIGHT + 42, "role", "img");
    svg.add(Element.of("title").text(y + " over " + x));
    Frame.draw(svg, across, up, HEIGHT);
    Element curves = Element.of(
        "svg", "width", "100%", "height", HEIGHT, "viewBox", "0 0 " + GRAIN + " " + GRAIN, "preserveAspectRatio", "none");
    lines.forEach(line -> curves.add(Element.of("path", "class", line.style(), "d", path(line, across, up))));
    return Element.ofClass("div", "plot")
        .add(Element.ofClass("p", "axis-title").text(up.title()), Element.ofClass("div", "frame").add(svg.add(curves)), legend());
  }

  public Axis across() {
    return percentiles ? Axis.percentiles(of(0).getMax()) : Axis.ofPlaces(x, of(0));
  }

  private DoubleSummaryStatistics of(int coordinate) {
    return lines.stream()
        .flatMap(line -> line.points().stream())
        .mapToDouble(point -> point[coordinate])
        .summaryStatistics();
  }

  private static String path(Line line, Axis across, Axis up) {
    return line.points().stream()
        .map(point ->
            String.format(
                Locale.ROOT, "%.1f %.1f", across.at(point[0]) * GRAIN, (1 - up.at(point[1])) * GRAIN))
        .collect(Collectors.joining("L", "M", ""));
  }

  private Element legend() {
    Element list = Element.ofClass("ul", "legend");
    for (Line line : lines) {
      Element swatch = Element.of("svg", "class", "swatch", "width", 30, "height", 10);
      swatch.add(Element.of("path", "class", line.style(), "d", "M1 5H29"));
      list.add(Element.of("li").add(swatch, Element.of("span").text(line.name())));
    }
    return list;
  }
}
