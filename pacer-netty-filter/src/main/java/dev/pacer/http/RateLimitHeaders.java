package dev.pacer.http;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The IETF fields {@code RateLimit} and {@code RateLimit-Policy} (draft-ietf-httpapi-ratelimit-headers, revision
 * 10, as Structured Fields of RFC 9651), and the older forms that are still sent: the dictionary {@code limit=100,
 * remaining=50, reset=30} (revision 7), and {@code RateLimit-Limit}, {@code -Remaining} and {@code -Reset}
 * (revision 6), which are looked at where there is no {@code RateLimit}.
 *
 * <p>Parameters that are not known are ignored, and so is a member with a wrong type or without what the draft
 * requires; it counts as malformed, and the others are still read.
 *
 * @param policies what the vendor grants in general
 * @param states what is left now
 * @param malformed how many fields or members could not be read
 */
public record RateLimitHeaders(List<Policy> policies, List<State> states, int malformed) {

  private static final String REQUESTS = "requests";

  public RateLimitHeaders {
    policies = List.copyOf(policies);
    states = List.copyOf(states);
  }

  /**
   * So many units per window.
   *
   * @param name empty in the older forms
   * @param units not negative
   * @param window positive, if known
   * @param unit {@code requests}, {@code content-bytes}, {@code concurrent-requests}, or whatever was sent
   */
  public record Policy(String name, long units, Optional<Duration> window, String unit) {

    /** How far apart calls must be to keep within this policy; empty if it does not count calls over time. */
    public Optional<Duration> interval() {
      return unit.equals(REQUESTS) ? window.flatMap(window -> apart(window, units)) : Optional.empty();
    }
  }

  /**
   * What is left until it is renewed.
   *
   * @param name that of its policy; empty in the older forms
   * @param remaining not negative
   * @param reset when it is renewed, if known
   */
  public record State(String name, long remaining, Optional<Figure> reset) {}

  /**
   * Reads the fields of an answer.
   *
   * @param fields as in {@link Answer#fields()}
   * @param lenient whether a policy may be named by a token where the draft wants a string
   */
  public static RateLimitHeaders read(
      Function<String, @Nullable List<String>> fields, ServerTime time, boolean lenient) {
    return new RateLimitFields(new Answer(0, fields, time.local()), () -> time, lenient).read();
  }

  /** The longest wait among the policies that have nothing left; empty if none has, or none says when. */
  public Optional<Figure> exhausted() {
    return states.stream()
        .filter(state -> state.remaining() == 0)
        .flatMap(state -> state.reset().stream())
        .max(Comparator.comparing(Figure::offset));
  }

  /**
   * How far apart calls must be to keep within everything that was said: the slowest of the policies, and of what
   * is left until its reset. A vendor that renews late may show more left than its policy allows for the rest of
   * the window, so neither is enough alone. This is a hint for pacing, not a reason to stop.
   */
  public Optional<Duration> interval() {
    Set<String> otherUnits = new HashSet<>();
    policies.stream()
        .filter(policy -> !policy.unit().equals(REQUESTS))
        .forEach(policy -> otherUnits.add(policy.name()));
    Stream<Duration> left =
        states.stream()
            .filter(state -> !otherUnits.contains(state.name()))
            .flatMap(state -> state.reset().flatMap(reset -> apart(reset.waitNeeded(), state.remaining())).stream());
    return Stream.concat(policies.stream().flatMap(policy -> policy.interval().stream()), left)
        .max(Comparator.naturalOrder());
  }

  private static Optional<Duration> apart(Duration window, long units) {
    if (units == 0 || window.isZero()) {
      return Optional.empty();
    }
    BigDecimal nanos = BigDecimal.valueOf(window.toNanos());
    return Optional.of(
        Duration.ofNanos(nanos.divide(BigDecimal.valueOf(units), 0, RoundingMode.CEILING).longValueExact()));
  }
}
