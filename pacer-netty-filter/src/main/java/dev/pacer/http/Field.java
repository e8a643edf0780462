package dev.pacer.http;

import java.util.List;

/**
 * Where a header says something: in its whole value, or in a member of the JSON that is its value.
 *
 * @param header the name, in any letter case
 * @param member the JSON member's name; empty for the whole value
 */
public record Field(String header, String member) {

  public Field {
    if (header.isEmpty()) {
      throw new IllegalArgumentException("header must have a name, was \"\"");
    }
  }

  /** The whole value of a header. */
  public static Field of(String header) {
    return new Field(header, "");
  }

  /** A string or number in a header whose value is JSON; of several of that name the one that waits longest. */
  public Field member(String member) {
    return new Field(header, member);
  }

  List<String> values(Answer answer) {
    List<String> lines = answer.lines(header);
    return member.isEmpty() || lines.isEmpty()
        ? lines
        : lines.stream().flatMap(line -> JsonMember.values(line, member).stream()).toList();
  }

  Reading read(List<String> values, Form form, ServerTime time, boolean lenient) {
    return member.isEmpty()
        ? Reading.of(values, form, time, lenient)
        : Reading.largest(values, form, time, lenient);
  }
}
