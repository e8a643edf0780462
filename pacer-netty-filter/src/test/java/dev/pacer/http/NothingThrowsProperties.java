package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a vendor sends: no exception, and no figure below zero or above the longest. */
class NothingThrowsProperties {

  private static final List<VendorProfile> PROFILES =
      List.of(
          Vendors.GENERIC, Vendors.GITHUB, Vendors.GITHUB_GRAPHQL, Vendors.OPENAI, Vendors.ANTHROPIC, Vendors.DISCORD,
          Vendors.REDDIT, Vendors.SHOPIFY, Vendors.SHOPIFY_GRAPHQL, Vendors.SLACK, Vendors.ATLASSIAN, Vendors.AZURE,
          Vendors.AWS, Vendors.GOOGLE, Vendors.TELEGRAM, Vendors.X, Vendors.LINEAR, Vendors.BINANCE, Vendors.HUBSPOT,
          Vendors.META, Vendors.BASECAMP);

  @Property(tries = 2_000)
  void retryAfter(@ForAll("values") List<String> lines, @ForAll("times") ServerTime time, @ForAll boolean lenient) {
    check(new RetryAfter(lenient).read(lines, time));
  }

  @Property(tries = 2_000)
  void everyForm(
      @ForAll Form form, @ForAll("values") List<String> lines, @ForAll("times") ServerTime time,
          @ForAll boolean lenient) {
    check(Reading.of(lines, form, time, lenient));
  }

  @Property(tries = 2_000)
  void rateLimitHeaders(
      @ForAll("values") List<String> limits,
      @ForAll("values") List<String> policies,
      @ForAll("times") ServerTime time,
      @ForAll boolean lenient) {
    Map<String, List<String>> one = Map.of("RateLimit", limits, "RateLimit-Policy", policies);
    Map<String, List<String>> three =
        Map.of("RateLimit-Limit", policies, "RateLimit-Remaining", List.of("0"), "RateLimit-Reset", limits);
    for (Map<String, List<String>> fields : List.of(one, three)) {
      RateLimitHeaders headers = RateLimitHeaders.read(fields::get, time, lenient);
      headers.exhausted().ifPresent(figure -> check(figure.waitNeeded()));
      headers.interval().ifPresent(NothingThrowsProperties::check);
    }
  }

  @Property(tries = 1_000)
  void everyProfile(
      @ForAll("profiles") VendorProfile profile,
      @ForAll("values") List<String> lines,
      @ForAll("value") String body,
      @ForAll("instants") Instant received) {
    for (int status : List.of(200, 302, 400, 403, 418, 429, 503)) {
      for (Function<String, List<String>> fields : fields(lines)) {
        Verdict verdict = profile.verdict(new Answer(status, fields::apply, body, received));
        assertThat(verdict.malformed()).isNotNegative();
        if (verdict instanceof Verdict.Stop stop) {
          stop.figure().ifPresent(NothingThrowsProperties::check);
        }
      }
    }
  }

  @Property(tries = 3_000)
  void destination(@ForAll("value") String text, @ForAll("schemes") String before) {
    try {
      Destination destination = Destination.of(before + text);
      assertThat(destination.host()).isNotEmpty();
      assertThat(destination.key().chars()).noneMatch(c -> c < 32 || c == 127);
      assertThat(new Destination(destination.host(), destination.port())).isEqualTo(destination);
    } catch (IllegalArgumentException noHost) {
      assertThat(noHost).hasMessageContaining("must name a host, was");
    }
  }

  /** The same lines in every field, and with nothing remaining so that the resets are asked. */
  private static List<Function<String, List<String>>> fields(List<String> lines) {
    return List.of(
        name -> lines,
        name -> name.endsWith("emaining") ? List.of("0") : lines,
        name -> name.contains("emaining") ? List.of("0") : name.contains("eset") ? lines : List.of());
  }

  private static void check(Reading reading) {
    reading.waitNeeded().ifPresent(NothingThrowsProperties::check);
    assertThat(reading.figure().isPresent() || reading.malformed() || reading.equals(Reading.ABSENT)).isTrue();
  }

  private static void check(Duration wait) {
    assertThat(wait).isBetween(Duration.ZERO, Figure.MAX);
  }

  @Provide
  Arbitrary<VendorProfile> profiles() {
    return Arbitraries.of(PROFILES);
  }

  @Provide
  Arbitrary<String> schemes() {
    return Arbitraries.of("http://", "https://", "//", "", "http://[", "http://user@", "http://a:");
  }

  @Provide
  Arbitrary<List<String>> values() {
    return value().list().ofMaxSize(3);
  }

  /** Random text, text of the characters that matter, and valid values with a fault put in. */
  @Provide
  Arbitrary<String> value() {
    Arbitrary<String> any = Arbitraries.strings().ofMaxLength(100);
    Arbitrary<String> near =
        Arbitraries.strings().withChars("0123456789.,:;-+eExXsmhTZ \t\"()?@%=[]/rtqwGM\u0661").ofMaxLength(40);
    Arbitrary<String> digits = Arbitraries.strings().numeric().ofMinLength(1).ofMaxLength(70);
    Arbitrary<String> valid =
        Arbitraries.of(
            "Thu, 01 Jan 2026 00:01:30 GMT", "Thursday, 01-Jan-26 00:01:30 GMT", "Thu Jan  1 00:01:30 2026",
            "2026-01-01T00:01:30.123456789+02:00", "1h2m3.5s4ms", "Tue Feb 16 2021 09:02:42 GMT+0100 (CET)",
                "1767225690",
            "1767225690000", "\"default\";r=0;t=50", "\"a\";q=1;w=1", "limit=1, remaining=0, reset=3", "64.57",
                "120, 60", "40/40",
            "{\"remaining\":0,\"until\":\"2026-01-01T00:00:20Z\",\"retry_after\":1e9,\"retryDelay\":\"9s\"}",
            "THROTTLED \"requestedQueryCost\":9,\"currentlyAvailable\":1,\"restoreRate\":0.0001", "[::ffff:1.2.3.4]:80",
            "Fri, 31 Dec 9999 23:59:60 GMT", "0000-01-01T00:00Z", "999999999999999999999", "b\u00fccher.example%25");
    Arbitrary<String> faulty =
        Combinators.combine(valid, Arbitraries.integers().between(0, 40), Arbitraries.strings().ofMaxLength(2))
            .as(
                (text, at, fault) -> {
                  int where = Math.min(at, text.length());
                  return text.substring(0, where) + fault + text.substring(Math.min(text.length(), where + 1));
                });
    return Arbitraries.oneOf(any, near, digits, valid, faulty);
  }

  @Provide
  Arbitrary<Instant> instants() {
    return Arbitraries.oneOf(
        Arbitraries.of(Instant.MIN, Instant.MAX, Instant.EPOCH, Instant.parse("2026-01-01T00:00:00Z")),
        Arbitraries.longs().between(-100_000_000_000L, 300_000_000_000L).map(Instant::ofEpochSecond));
  }

  @Provide
  Arbitrary<ServerTime> times() {
    return Combinators.combine(values(), values(), instants()).as(ServerTime::of);
  }
}
