package dev.pacer.benchmarks.plot;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A time line: what each of several processes did, one row per process, and the same all in one row.
 *
 * @param x the time, with its unit
 * @param points pairs of a time and the number of a process, in the order of time
 */
public record Dots(String x, List<double[]> points) {

  /** More in a row would be a line. */
  private static final int MOST = 240;

  private static final int ROW = 34;

  /** From here on dots would lie on one another. */
  private static final int MANY = 90;

  public Element draw() {
    List<double[]> shown = points.subList(0, Math.min(points.size(), MOST));
    SortedSet<Integer> processes = shown.stream().map(Dots::process).collect(Collectors.toCollection(TreeSet::new));
    Axis time = Axis.linear(x, time(shown.get(0)), time(shown.get(shown.size() - 1)));
    int height = (processes.size() + 1) * ROW;
    Element svg = Element.of("svg", "class", "dots", "height", height + 42, "role", "img");
    svg.add(Element.of("title").text("time line of " + processes.size() + " processes"));
    Frame.across(svg, time, height);
    int row = 0;
    for (int process : processes) {
      label(svg, "process " + process, row);
      for (double[] point : shown) {
        if (process(point) == process) {
          svg.add(dot(point, time, row, shown.size()), dot(point, time, processes.size(), shown.size()));
        }
      }
      row++;
    }
    label(svg, "together", row);
    Element plot = Element.ofClass("div", "plot").add(Element.ofClass("div", "frame wide").add(svg));
    return shown.size() == points.size() ? plot : plot.add(Element.ofClass("p", "note").text(
        "The first " + shown.size() + " of " + points.size() + "."));
  }

  private static void label(Element svg, String name, int row) {
    svg.add(Element.of("text", "class", "up", "x", -8, "y", middle(row), "dy", ".35em").text(name));
  }

  private static Element dot(double[] point, Axis time, int row, int count) {
    double x = time.at(time(point));
    String hue = Hues.ofNumber(process(point));
    return count > MANY
        ? Bars.vertical("tick " + hue, x, middle(row) - 9, middle(row) + 9)
        : Element.of("circle", "class", hue, "cx", Element.percent(x), "cy", middle(row), "r", 4);
  }

  private static int middle(int row) {
    return row * ROW + ROW / 2;
  }

  private static double time(double[] point) {
    return point[0];
  }

  private static int process(double[] point) {
    return (int) point[1];
  }
}
