package dev.pacer.benchmarks;

import dev.pacer.benchmarks.plot.Bars;
import dev.pacer.benchmarks.plot.Dots;
import dev.pacer.benchmarks.plot.Element;
import dev.pacer.benchmarks.plot.Hues;
import dev.pacer.benchmarks.plot.Lines;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A {@link Sheet} on the page. What is plotted follows from what it has: its first column as bars, the others as bars
 * that can be unfolded; curves that have the same axes as lines in one plot; what a process did when as a time line.
 * All of it is in a table below.
 */
final class Section {

  private Section() {}

  /**
   * @param told the conditions that the page has told already
   */
  static Element of(Sheet sheet, Set<String> told, Hues hues) {
    Element section = Element.of("section", "id", sheet.name());
    section.add(Element.of("h2").text(sheet.title()));
    Map<String, String> conditions = new LinkedHashMap<>(sheet.conditions());
    conditions.keySet().removeIf(name -> told.contains(name) || Goal.isGoal(name));
    section.add(list(conditions));
    Goal.of(sheet).forEach(goal ->
        section.add(Element.ofClass("p", "goal").add(
            Element.of("strong").text("Goal"), Element.of("span").text(" " + goal.what() + " "), verdict("span", goal))));
    return section.add(bars(sheet)).add(table(sheet)).add(curves(sheet, hues));
  }

  private static List<Element> bars(Sheet sheet) {
    List<Element> plots = sheet.columns().stream().flatMap(column -> bars(sheet, column).stream()).toList();
    if (plots.size() < 2) {
      return plots;
    }
    String rest = sheet.columns().stream().skip(1).collect(Collectors.joining(" · "));
    Element more = Element.of("details").add(Element.of("summary").text("Plots of " + rest));
    return List.of(plots.get(0), more.add(plots.subList(1, plots.size())));
  }

  private static Optional<Element> bars(Sheet sheet, String column) {
    boolean rivals = sheet.rows().stream().anyMatch(row -> Hues.isPacer(row.name()));
    List<Bars.Bar> bars = new ArrayList<>();
    for (Sheet.Row row : sheet.rows()) {
      Sheet.Figure figure = row.figures().get(column);
      if (figure != null && Double.isFinite(figure.median())) {
        String hue = !rivals || Hues.isPacer(row.name()) ? "pacer" : "other";
        String label = Sheet.Figure.text(figure.median());
        bars.add(new Bars.Bar(plain(row.name()), hue, figure.median(), figure.least(), figure.most(), label));
      }
    }
    return bars.isEmpty() ? Optional.empty() : Optional.of(new Bars(column, bars).draw());
  }

  private static List<Element> curves(Sheet sheet, Hues hues) {
    Map<List<String>, List<Sheet.Curve>> plots = new LinkedHashMap<>();
    for (Sheet.Curve curve : sheet.curves()) {
      boolean alone = curve.y().startsWith(Sheet.Curve.PROCESS);
      List<String> together = alone ? List.of(curve.x(), curve.y(), curve.name()) : List.of(curve.x(), curve.y());
      if (!curve.points().isEmpty()) {
        plots.computeIfAbsent(together, axes -> new ArrayList<>()).add(curve);
      }
    }
    List<Element> drawn = new ArrayList<>();
    plots.values().forEach(curves -> drawn.addAll(plot(curves, hues)));
    return drawn;
  }

  private static List<Element> plot(List<Sheet.Curve> curves, Hues hues) {
    Sheet.Curve first = curves.get(0);
    if (first.y().startsWith(Sheet.Curve.PROCESS)) {
      return List.of(Element.of("h3").text(plain(first.name())), new Dots(first.x(), first.points()).draw());
    }
    Map<String, Integer> ofHue = new HashMap<>();
    List<Lines.Line> lines = new ArrayList<>();
    for (Sheet.Curve curve : curves) {
      String hue = hues.of(plain(curve.name()));
      int dash = ofHue.merge(hue, 1, Integer::sum) - 1;
      lines.add(new Lines.Line(plain(curve.name()), hue, dash, curve.points()));
    }
    boolean percentiles = first.x().equals(Sheet.Curve.PERCENTILE);
    Lines plot = new Lines(first.x(), first.y(), percentiles, lines);
    return List.of(plot.draw(), scrolling(table(plot)));
  }

  /** What the lines are at the ticks below them. */
  private static Element table(Lines plot) {
    List<String> head = new ArrayList<>(List.of(plot.y() + ", at " + plot.x()));
    plot.across().ticks().forEach(tick -> head.add(tick.label()));
    Element table = Element.of("table").add(row("th", head));
    for (Lines.Line line : plot.lines()) {
      List<String> cells = new ArrayList<>(List.of(line.name()));
      plot.across().ticks().forEach(tick -> cells.add(line.at(tick.value()).map(Sheet.Figure::text).orElse("")));
      table.add(row("td", cells));
    }
    return table;
  }

  private static List<Element> table(Sheet sheet) {
    if (sheet.rows().isEmpty()) {
      return List.of();
    }
    List<String> head = new ArrayList<>(List.of("case"));
    head.addAll(sheet.columns());
    Element table = Element.of("table").add(row("th", head));
    for (Sheet.Row row : sheet.rows()) {
      List<String> cells = new ArrayList<>(List.of(plain(row.name())));
      sheet.columns().forEach(column ->
          cells.add(Optional.ofNullable(row.figures().get(column)).map(Sheet.Figure::toString).orElse("")));
      table.add(row("td", cells));
    }
    return List.of(scrolling(table));
  }

  static Element row(String cell, List<String> texts) {
    Element row = Element.of("tr");
    texts.forEach(text -> row.add(Element.of(cell).text(text)));
    return row;
  }

  /** On a narrow screen a table moves, and the page does not. */
  static Element scrolling(Element table) {
    return Element.ofClass("div", "scrolling").add(table);
  }

  static Element verdict(String element, Goal goal) {
    String mood = goal.met() ? "met" : goal.missed() ? "missed" : "open";
    return Element.ofClass(element, "verdict " + mood).text(goal.verdict().isEmpty() ? "not judged" : goal.verdict());
  }

  static Element list(Map<String, String> conditions) {
    Element list = Element.ofClass("p", "conditions");
    conditions.forEach((name, value) ->
        list.add(Element.of("span").add(Element.of("i").text(name), Element.of("span").text(" " + value))));
    return list;
  }

  /** Without what Markdown needs, and with thousands in one piece. */
  private static String plain(String name) {
    return name.replaceAll("[*`]", "").replaceAll("(?<=\\d) (?=\\d{3})", "\u00a0");
  }
}
