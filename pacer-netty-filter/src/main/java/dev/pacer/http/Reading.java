package dev.pacer.http;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What came of reading a field: a figure or none, and whether it was written as it should be. Absent is no
 * figure and not malformed; a malformed field can still have a figure, from the part of it that was valid.
 */
public record Reading(Optional<Figure> figure, boolean malformed) {

  static final Reading ABSENT = new Reading(Optional.empty(), /* malformed= */ false);

  private static final String NUMBER = "[0-9]+(?:\\.[0-9]+)?";

  /** Numbers only: the comma of a date parts nothing. */
  private static final Pattern LIST = Pattern.compile(NUMBER + "(?:[ \\t]*,[ \\t]*" + NUMBER + ")+");

  private static final Pattern COMMA = Pattern.compile("[ \\t]*,[ \\t]*");

  /** How long to wait, {@linkplain Figure#waitNeeded() before any pad}; empty if the field is absent or unreadable. */
  public Optional<Duration> waitNeeded() {
    return figure.map(Figure::waitNeeded);
  }

  /** Reads a field that has one value; of several the largest counts, which is the safe side. */
  static Reading of(List<String> lines, Form form, ServerTime time, boolean lenient) {
    List<String> values = new ArrayList<>();
    for (String line : lines) {
      String value = Text.strip(line);
      boolean list = value.length() <= Form.LONGEST && LIST.matcher(value).matches();
      values.addAll(list ? List.of(COMMA.split(value, -1)) : List.of(value));
    }
    Reading largest = largest(values, form, time, lenient);
    return values.size() > 1 ? new Reading(largest.figure, /* malformed= */ true) : largest;
  }

  /** The largest of several values that may well be several. */
  static Reading largest(List<String> values, Form form, ServerTime time, boolean lenient) {
    List<Figure> figures = new ArrayList<>();
    for (String value : values) {
      Figure figure = form.read(value, time, lenient);
      if (figure != null) {
        figures.add(figure);
      }
    }
    return new Reading(
        figures.stream().max(Comparator.comparing(Figure::offset)), figures.size() < values.size());
  }
}
