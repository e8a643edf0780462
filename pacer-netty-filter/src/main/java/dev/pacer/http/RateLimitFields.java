package dev.pacer.http;

import dev.pacer.http.RateLimitHeaders.Policy;
import dev.pacer.http.RateLimitHeaders.State;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One reading of the fields that {@link RateLimitHeaders} describes. Used once. */
final class RateLimitFields {

  /** A longer distance is an epoch that somebody put where a distance belongs. */
  private static final BigDecimal LONGEST_DISTANCE = BigDecimal.valueOf(100_000_000);

  private final Answer answer;
  private final Supplier<ServerTime> time;
  private final boolean lenient;
  private final List<Policy> policies = new ArrayList<>();
  private final List<State> states = new ArrayList<>();
  private int malformed;

  RateLimitFields(Answer answer, Supplier<ServerTime> time, boolean lenient) {
    this.answer = answer;
    this.time = time;
    this.lenient = lenient;
  }

  RateLimitHeaders read() {
    policies(answer.lines("RateLimit-Policy"));
    List<String> lines = answer.lines("RateLimit");
    if (lines.isEmpty()) {
      separateFields();
    } else {
      states(lines);
    }
    return new RateLimitHeaders(policies, states, malformed);
  }

  private void policies(List<String> lines) {
    List<StructuredField.Item> items = StructuredField.list(lines);
    malformed += items == null ? 1 : 0;
    for (StructuredField.Item item : items == null ? List.<StructuredField.Item>of() : items) {
      add(policies, policy(item));
    }
  }

  private @Nullable Policy policy(StructuredField.Item item) {
    // up to revision 7 the item was the number itself, "100;w=60"; since then it is the name
    boolean numbered = item.value() instanceof Long;
    String name = numbered ? "" : name(item.value());
    Long units = count(numbered ? item.value() : item.parameters().get("q"));
    Object w = item.parameters().get("w");
    Long window = count(w);
    Object unit = item.parameters().getOrDefault("qu", "requests");
    boolean noWindow = w != null && (window == null || window == 0);
    if (name == null || units == null || noWindow || !(unit instanceof String qu)) {
      return null;
    }
    return new Policy(name, units, Optional.ofNullable(window).map(RateLimitFields::seconds), qu);
  }

  private void states(List<String> lines) {
    List<StructuredField.Item> items = StructuredField.list(lines);
    if (items == null) {
      Map<String, StructuredField.Item> entries = StructuredField.dictionary(lines);
      add(states, entries == null ? null : state(entries));
      return;
    }
    for (StructuredField.Item item : items) {
      add(states, state(item));
    }
  }

  private @Nullable State state(StructuredField.Item item) {
    String name = name(item.value());
    Long remaining = count(item.parameters().get("r"));
    Object t = item.parameters().get("t");
    Long reset = count(t);
    return name == null || remaining == null || (t != null && reset == null)
        ? null
        : new State(name, remaining, figure(reset));
  }

  private @Nullable State state(Map<String, StructuredField.Item> entries) {
    Long limit = count(entries, "limit");
    Long remaining = count(entries, "remaining");
    if (limit != null) {
      policies.add(new Policy("", limit, Optional.empty(), "requests"));
    }
    return remaining == null ? null : new State("", remaining, figure(count(entries, "reset")));
  }

  private void separateFields() {
    List<String> remaining = answer.lines("RateLimit-Remaining");
    List<String> limit = answer.lines("RateLimit-Limit");
    if (!limit.isEmpty() && policies.isEmpty()) {
      policies(limit);
    }
    if (!remaining.isEmpty()) {
      List<StructuredField.Item> items = StructuredField.list(remaining);
      Long left = items == null || items.isEmpty() ? null : count(items.get(0).value());
      Optional<Figure> reset = reset(answer.lines("RateLimit-Reset"));
      add(states, left == null ? null : new State("", left, reset));
    }
  }

  /** Should be seconds, but the same name carries epochs and dates too. */
  private Optional<Figure> reset(List<String> lines) {
    List<String> values = lines.stream().map(line -> Text.strip(line.split(";", 2)[0])).toList();
    boolean distance =
        values.stream().map(Text::decimal).allMatch(v -> v != null && v.compareTo(LONGEST_DISTANCE) < 0);
    Reading reading = Reading.of(values, distance ? Form.SECONDS : Form.GUESS, time.get(), lenient);
    malformed += reading.malformed() ? 1 : 0;
    return reading.figure();
  }

  private @Nullable String name(Object value) {
    if (value instanceof String string) {
      return string;
    }
    return lenient && value instanceof StructuredField.Token token ? token.text() : null;
  }

  private Optional<Figure> figure(@Nullable Long seconds) {
    return Optional.ofNullable(seconds).map(s -> Figure.in(BigDecimal.valueOf(s).movePointRight(3), time.get()));
  }

  private <T> void add(List<T> list, @Nullable T value) {
    if (value == null) {
      malformed++;
    } else {
      list.add(value);
    }
  }

  private static @Nullable Long count(Map<String, StructuredField.Item> entries, String key) {
    StructuredField.Item item = entries.get(key);
    return item == null ? null : count(item.value());
  }

  private static @Nullable Long count(@Nullable Object value) {
    return value instanceof Long number && number >= 0 ? number : null;
  }

  private static Duration seconds(long seconds) {
    return Figure.saturated(BigDecimal.valueOf(seconds).movePointRight(3));
  }
}
