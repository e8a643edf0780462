package dev.pacer.benchmarks.plot;

/** The grid of a plot, with its two axes. */
final class Frame {

  private Frame() {}

  /** Draws into an element that is at least 42 higher than the plot, and has room for labels to its left. */
  static void draw(Element svg, Axis across, Axis up, int height) {
    for (Axis.Tick tick : up.ticks()) {
      double y = (1 - up.at(tick.value())) * height;
      svg.add(Element.of("line", "class", "grid", "x1", 0, "x2", "100%", "y1", y, "y2", y));
      svg.add(Element.of("text", "class", "up", "x", -8, "y", y, "dy", ".35em").text(tick.label()));
    }
    across(svg, across, height);
  }

  static void across(Element svg, Axis across, int height) {
    for (Axis.Tick tick : across.ticks()) {
      svg.add(Bars.vertical("grid", across.at(tick.value()), 0, height));
      String place = Element.percent(across.at(tick.value()));
      svg.add(Element.of("text", "class", "across", "x", place, "y", height + 16).text(tick.label()));
    }
    svg.add(Element.of("text", "class", "across", "x", "50%", "y", height + 36).text(across.title()));
  }
}
