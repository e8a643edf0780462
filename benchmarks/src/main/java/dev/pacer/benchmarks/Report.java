package dev.pacer.benchmarks;

import dev.pacer.benchmarks.plot.Element;
import dev.pacer.benchmarks.plot.Hues;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * All results in a folder as one page, {@code index.html}, that needs no other file, no network and no script.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.Report benchmarks/results}
 */
@Command(name = "Report", mixinStandardHelpOptions = true, description = "Makes a page of all results in a folder.")
public final class Report implements Callable<Integer> {

  private static final String INTRODUCTION =
      "What pacer does and what it costs, beside what people would use instead, on the same database with the same"
          + " durability. Bars are medians, whiskers go from the least to the most of the rounds unless a section says"
          + " otherwise. Compare what is within one section: it was measured at one time, in turns.";

  @Parameters(paramLabel = "FOLDER", description = "With the results as JSON.")
  private Path folder = Path.of("benchmarks", "results");

  private Report() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Report()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    System.out.println(write(folder));
    return 0;
  }

  /** Returns the page's file. */
  static Path write(Path folder) throws IOException {
    List<Sheet> sheets = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".json")).toList()) {
        sheets.add(Sheet.read(file));
      }
    }
    sheets.sort(Comparator.comparing(Sheet::name));
    if (sheets.isEmpty()) {
      throw new IllegalArgumentException("folder must have results, was " + folder);
    }
    return Files.writeString(folder.resolve("index.html"), page(sheets));
  }

  static String page(List<Sheet> sheets) throws IOException {
    Map<String, String> shared = shared(sheets);
    Hues hues = new Hues();
    Element body = Element.of("body");
    body.add(Element.of("h1").text("pacer, measured"), Element.of("p").text(INTRODUCTION), machine(sheets, shared));
    body.add(goals(sheets)).add(contents(sheets));
    sheets.forEach(sheet -> body.add(Section.of(sheet, shared.keySet(), hues)));
    Element head = Element.of("head").add(
        Element.of("meta", "charset", "utf-8"),
        Element.of("meta", "name", "viewport", "content", "width=device-width, initial-scale=1"),
        Element.of("meta", "name", "color-scheme", "content", "light dark"),
        Element.of("title").text("pacer, measured"),
        Element.of("style").text(style()));
    return "<!DOCTYPE html>\n" + Element.of("html", "lang", "en").add(head, body);
  }

  /** The conditions that need be told only once. */
  private static Map<String, String> shared(List<Sheet> sheets) {
    Map<String, String> shared = new LinkedHashMap<>(sheets.get(0).conditions());
    shared.keySet().removeIf(Goal::isGoal);
    sheets.forEach(sheet -> shared.entrySet().retainAll(sheet.conditions().entrySet()));
    return shared;
  }

  private static Element machine(List<Sheet> sheets, Map<String, String> shared) {
    Map<String, String> all = new LinkedHashMap<>(shared);
    List<String> dates =
        sheets.stream().flatMap(sheet -> Stream.ofNullable(sheet.conditions().get("date"))).sorted().toList();
    if (!dates.isEmpty()) {
      String last = dates.get(dates.size() - 1);
      all.put("date", dates.get(0).equals(last) ? last : dates.get(0) + " to " + last);
    }
    return Section.list(all);
  }

  private static List<Element> goals(List<Sheet> sheets) {
    Element table = Element.of("table");
    table.add(Section.row("th", List.of("goal", "found", "where")));
    int count = 0;
    for (Sheet sheet : sheets) {
      for (Goal goal : Goal.of(sheet)) {
        count++;
        Element where = Element.of("a", "href", "#" + sheet.name()).text(sheet.title());
        table.add(Element.of("tr").add(
            Element.of("td").text(goal.what()), Section.verdict("td", goal), Element.of("td").add(where)));
      }
    }
    return count == 0 ? List.of() : List.of(Element.of("h2").text("Goals"), Section.scrolling(table));
  }

  private static Element contents(List<Sheet> sheets) {
    Element list = Element.of("ul");
    sheets.forEach(sheet ->
        list.add(Element.of("li").add(Element.of("a", "href", "#" + sheet.name()).text(sheet.title()))));
    return Element.of("nav").add(Element.of("h2").text("Measured"), list);
  }

  private static String style() throws IOException {
    try (InputStream style = Report.class.getResourceAsStream("report.css")) {
      return new String(Objects.requireNonNull(style).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
