package dev.pacer.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * What one measurement found: printed as a table in Markdown, kept as JSON, plotted by the report.
 *
 * @param name of the file, such as {@code throughput-far}
 * @param title for people
 * @param conditions what it was measured under: the machine, the database, durability, round trip, load; and its {@link
 *     Goal goals}
 * @param columns the names of the figures, with their units, in order; the first is what matters most
 * @param rows one per case; a figure that a case has not is left out
 * @param curves distributions or courses over time
 */
record Sheet(
    String name,
    String title,
    Map<String, String> conditions,
    List<String> columns,
    List<Row> rows,
    List<Curve> curves) {

  private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  Sheet {
    if (!name.matches("[\\w+.-]+")) {
      throw new IllegalArgumentException("name must be a file's, was " + name);
    }
  }

  /** One case. */
  record Row(String name, Map<String, Figure> figures) {

    /** What several rounds of one case came to, column by column. */
    static <T> Row of(String name, Collection<T> rounds, Map<String, ToDoubleFunction<T>> columns) {
      Map<String, Figure> figures = new LinkedHashMap<>();
      columns.forEach(
          (column, what) -> {
            double[] known = rounds.stream().mapToDouble(what).filter(Double::isFinite).toArray();
            if (known.length > 0) {
              figures.put(column, Figure.of(known));
            }
          });
      return new Row(name, figures);
    }

    /** The same with one figure more, if it is known. */
    Row with(String column, double figure) {
      Map<String, Figure> more = new LinkedHashMap<>(figures);
      if (Double.isFinite(figure)) {
        more.put(column, Figure.of(figure));
      }
      return new Row(name, more);
    }
  }

  /** The median of several rounds, the least and the most of them. */
  record Figure(double median, double least, double most) {

    static Figure of(double only) {
      return new Figure(only, only, only);
    }

    static Figure of(double... rounds) {
      double[] sorted = rounds.clone();
      Arrays.sort(sorted);
      return new Figure(sorted[sorted.length / 2], sorted[0], sorted[sorted.length - 1]);
    }

    @Override
    public String toString() {
      return least == most ? text(median) : text(median) + " (" + text(least) + " to " + text(most) + ")";
    }

    /** Four digits, which is more than a busy machine can tell. */
    static String text(double value) {
      double size = Math.abs(value);
      boolean whole = value == Math.rint(value);
      String format = size >= 100 || whole ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.4f";
      return String.format(Locale.ROOT, format, value);
    }
  }

  /**
   * Points of one case, x ascending.
   *
   * @param x the name of the axis, with its unit; {@link #PERCENTILE} makes it a distribution
   * @param y the name of the axis, with its unit; {@link #PROCESS} makes it a time line, whose y are process numbers
   * @param points pairs of x and y
   */
  record Curve(String name, String x, String y, List<double[]> points) {

    static final String PERCENTILE = "percentile";
    static final String PROCESS = "process";

    /** In nines: of 90, 99, 99.9 each is one more than the one before. */
    private static final double STEP = 0.125;

    private static final double ROUNDING = 1e-9;

    /** The distribution of nanoseconds, up to the percentile above which there is one value left. */
    static Curve ofNanos(String name, Histogram nanos, String y, double nanosPerUnit) {
      SortedSet<Double> percentiles = new TreeSet<>(Set.of(50.0));
      for (double nines = STEP; Math.pow(10, -nines) * nanos.getTotalCount() >= 1 - ROUNDING; nines += STEP) {
        percentiles.add(100 * (1 - Math.pow(10, -nines)));
      }
      List<double[]> points =
          percentiles.stream()
              .map(percentile -> new double[] {percentile, nanos.getValueAtPercentile(percentile) / nanosPerUnit})
              .toList();
      return new Curve(name, PERCENTILE, y, points);
    }
  }

  /** The same with a goal, and whether it was reached. */
  Sheet with(Goal goal) {
    Map<String, String> more = new LinkedHashMap<>(conditions);
    more.put(goal.condition(), goal.verdict());
    return new Sheet(name, title, more, columns, rows, curves);
  }

  Optional<Figure> figure(String row, String column) {
    return rows.stream()
        .filter(one -> one.name().equals(row))
        .flatMap(one -> Optional.ofNullable(one.figures().get(column)).stream())
        .findFirst();
  }

  void print(PrintStream out) {
    out.printf("%n### %s%n%n", title);
    out.println(
        conditions.entrySet().stream().map(one -> one.getKey() + " " + one.getValue()).collect(Collectors.joining(", ")));
    out.println();
    out.println("| case | " + String.join(" | ", columns) + " |");
    out.println("|---|" + "---|".repeat(columns.size()));
    rows.forEach(row -> out.println("| " + row.name().replace("|", "\\|") + " | " + cells(row) + " |"));
  }

  private String cells(Row row) {
    return columns.stream()
        .map(column -> row.figures().containsKey(column) ? String.valueOf(row.figures().get(column)) : "")
        .collect(Collectors.joining(" | "));
  }

  /** Replaces what the folder has under this name. */
  void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    JSON.writeValue(folder.resolve(name + ".json").toFile(), this);
  }

  static Sheet read(Path file) throws IOException {
    return JSON.readValue(file.toFile(), Sheet.class);
  }
}
