package dev.pacer.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What one measurement found: printed as a table in Markdown, kept as JSON, plotted by the report.
 *
 * @param name of the file, such as {@code throughput-far}
 * @param title for people
 * @param conditions what it was measured under: the machine, the database, durability, round trip, load
 * @param columns the names of the figures, with their units, in order
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

  /** One case. */
  record Row(String name, Map<String, Figure> figures) {}

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
    private static String text(double value) {
      double size = Math.abs(value);
      return String.format(Locale.ROOT, size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.4f", value);
    }
  }

  /**
   * Points of one case, x ascending.
   *
   * @param x the name of the axis, with its unit
   * @param y the name of the axis, with its unit
   * @param points pairs of x and y
   */
  record Curve(String name, String x, String y, List<double[]> points) {}

  void print(PrintStream out) {
    out.printf("%n### %s%n%n%s%n%n", title, conditions.entrySet().stream().map(Object::toString).collect(Collectors.joining(", ")));
    out.println("| case | " + String.join(" | ", columns) + " |");
    out.println("|---|" + "---|".repeat(columns.size()));
    rows.forEach(row -> out.println("| " + row.name() + " | " + cells(row) + " |"));
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
