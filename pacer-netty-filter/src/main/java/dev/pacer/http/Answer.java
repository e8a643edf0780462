package dev.pacer.http;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a response says about the limit, whatever client received it.
 *
 * @param status the HTTP status
 * @param fields gives the lines of a header field, by its name in any letter case; none, or null, if it is absent
 * @param body the body, or as much of it as was read; empty if it was not
 * @param received when the head of the response arrived, by the local clock
 */
public record Answer(int status, Function<String, @Nullable List<String>> fields, String body, Instant received) {

  /** An answer whose body was not read. */
  public Answer(int status, Function<String, @Nullable List<String>> fields, Instant received) {
    this(status, fields, "", received);
  }

  /** An answer whose body was not read, with its header fields as a map; letter case of the names is ignored. */
  public static Answer of(int status, Map<String, List<String>> fields, Instant received) {
    Map<String, List<String>> anyCase = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    anyCase.putAll(fields);
    return new Answer(status, anyCase::get, received);
  }

  /** The same answer with its body. */
  public Answer body(String body) {
    return new Answer(status, fields, body, received);
  }

  /** The lines of a field, without those that are null. */
  List<String> lines(String name) {
    List<String> lines = fields.apply(name);
    if (lines == null || lines.isEmpty()) {
      return List.of();
    }
    return lines.stream().filter(Objects::nonNull).toList();
  }

  ServerTime time() {
    return ServerTime.of(lines("Date"), lines("Age"), received);
  }
}
