package dev.pacer.http;

import static dev.pacer.http.VendorsTest.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** In which order an answer's parts are asked, and what is made of each. */
class VerdictTest {

  private static final VendorProfile ALL =
      VendorProfile.builder("all")
          .bodyHint(BodyHint.field("retry_after", Form.SECONDS))
          .allowance("left", "reset", Form.SECONDS)
          .build();
  private static final String BODY = "{\"retry_after\":3}";

  @Test
  void millisecondsThenRetryAfterThenBodyThenRateLimitThenTheVendorsOwn() {
    List<String> headers =
        List.of(
            "retry-after-ms: 1000", "x-ms-retry-after-ms: 1100", "x-amz-retry-after: 1200", "Retry-After: 2",
            "RateLimit: \"a\";r=0;t=4", "left: 0", "reset: 5");
    List<String> expected = List.of("PT1S", "PT1.1S", "PT1.2S", "PT2S", "PT3S", "PT4S", "PT5S");
    for (int i = 0; i < 4; i++) {
      assertThat(stop(ALL, answer(429, headers.subList(i,
          7)).body(BODY)).figure()).contains(Duration.parse(expected.get(i)));
    }
    assertThat(stop(ALL, answer(429, headers.subList(4, 7)).body(BODY)).figure()).contains(Duration.ofSeconds(3));
    assertThat(stop(ALL, answer(429, headers.subList(4, 7))).figure()).contains(Duration.ofSeconds(4));
    assertThat(stop(ALL, answer(429, headers.subList(5, 7))).figure()).contains(Duration.ofSeconds(5));
    assertThat(stop(ALL, answer(429, List.of())).figure()).isEmpty();
  }

  @Test
  void whatIsMalformedIsCountedAndTheNextIsAsked() {
    Verdict.Stop stop = stop(ALL, answer(429, List.of("retry-after-ms: soon", "Retry-After: -1", "RateLimit: ?",
        "left: 0", "reset: 5")));
    assertThat(stop.figure()).contains(Duration.ofSeconds(5));
    assertThat(stop.malformed()).isEqualTo(3);
    assertThat(Vendors.GITHUB.verdict(answer(403, List.of("Retry-After: -1", "x-ratelimit-remaining: many"))))
        .isEqualTo(new Verdict.Pass(2));
  }

  @Test
  void aMomentThatIsOverSaysNothingSoTheNextIsAsked() {
    assertThat(stop(ALL, answer(429, List.of("Retry-After: Wed, 31 Dec 2025 23:00:00 GMT", "left: 0",
        "reset: 5"))).figure())
        .contains(Duration.ofSeconds(5));
  }

  @Test
  void aMomentIsPaddedAndADistanceIsNot() {
    assertThat(stop(ALL, answer(429, List.of("Retry-After: Thu, 01 Jan 2026 00:01:30 GMT"))).figure())
        .contains(Duration.ofSeconds(91));
    assertThat(stop(ALL, answer(429, List.of("Retry-After: Thu, 01 Jan 2026 00:00:00 GMT"))).figure())
        .contains(Duration.ofSeconds(1));
    assertThat(stop(ALL, answer(429, List.of("Retry-After: Wed, 31 Dec 2025 23:59:57 GMT"))).figure())
        .contains(Duration.ZERO);
    assertThat(stop(ALL, answer(429, List.of("Retry-After: 90"))).figure()).contains(Duration.ofSeconds(90));
    assertThat(stop(ALL, answer(429, List.of("Retry-After: Fri, 31 Dec 9999 23:59:59 GMT"))).figure())
        .contains(Figure.MAX);
  }

  @Test
  void theFigureOfAnUnknownVendorIsNeverLong() {
    List<String> seven =
        List.of("1767229200", "1767229200.5", "1767229200000", "3600", "600000", "2026-01-01T01:00Z",
            "Thu Jan 01 2026 02:00:00 GMT+0100 (CET)");
    for (String reset : seven) {
      List<String> headers = List.of("X-RateLimit-Remaining: 0", "X-RateLimit-Reset: " + reset);
      assertThat(Vendors.GENERIC.verdict(answer(200, headers)))
          .isEqualTo(new Verdict.Stop(Optional.of(VendorProfile.LONGEST_GUESS), /* refused= */ false, 0));
      assertThat(Vendors.GENERIC.verdict(answer(429, headers)))
          .as("backoff grows, a guess does not")
          .isEqualTo(new Verdict.Stop(Optional.empty(), /* refused= */ true, 0));
    }
    List<String> brief = List.of("X-Rate-Limit-Remaining: 0", "X-Rate-Limit-Reset: 20");
    assertThat(stop(Vendors.GENERIC, answer(429, brief)).figure()).contains(Duration.ofSeconds(20));
    assertThat(stop(Vendors.GENERIC, answer(200, brief)).figure()).contains(Duration.ofSeconds(20));
  }

  @Test
  void aPlain403PassesUnlessTheProfileSaysOtherwise() {
    Answer answer = answer(403, List.of("Retry-After: 60"));
    assertThat(Vendors.GENERIC.verdict(answer)).isEqualTo(new Verdict.Pass(0));
    VendorProfile mine = Vendors.GENERIC.toBuilder("mine").refusal(Evidence.ANY, 403).build();
    assertThat(stop(mine, answer).figure()).contains(Duration.ofSeconds(60));
  }

  @Test
  void aRedirectWithAWaitIsDelayed() {
    assertThat(stop(Vendors.GENERIC, answer(302,
        List.of("Retry-After: 20"))).figure()).contains(Duration.ofSeconds(20));
    assertThat(stop(Vendors.GENERIC, answer(413, List.of("Retry-After: 20"))).refused()).isTrue();
    assertThat(Vendors.GENERIC.verdict(answer(302, List.of("RateLimit: \"a\";r=0;t=20"))))
        .as("served")
        .isEqualTo(new Verdict.Stop(Optional.of(Duration.ofSeconds(20)), /* refused= */ false, 0));
  }

  @Test
  void whatACacheKeptIsNotAboutThisCall() {
    assertThat(Vendors.GENERIC.verdict(answer(200, List.of("Age: 5",
        "RateLimit: \"a\";r=0;t=20")))).isEqualTo(new Verdict.Pass(0));
    assertThat(Vendors.GITHUB.verdict(answer(200, List.of("Age: 5", "x-ratelimit-remaining: 0",
        "x-ratelimit-reset: 1767225690"))))
        .isEqualTo(new Verdict.Pass(0));
    assertThat(stop(Vendors.GENERIC, answer(429, List.of("Age: 5", "Retry-After: 20",
        "RateLimit: \"a\";r=0;t=40"))).figure())
        .contains(Duration.ofSeconds(15));
  }

  @Test
  void severalLinesOfWhatIsLeftAreTheLeastOfThem() {
    Answer answer =
        Answer.of(200, Map.of("X-RateLimit-Remaining", List.of("5", "0"), "X-RateLimit-Reset", List.of("20")),
            Instant.EPOCH);
    assertThat(stop(Vendors.GENERIC, answer).figure()).contains(Duration.ofSeconds(20));
  }

  @Test
  void lessThanNothingLeftCanMeanThatThereIsNoLimit() {
    assertThat(Vendors.GENERIC.verdict(answer(200, List.of("X-RateLimit-Remaining: -1", "X-RateLimit-Reset: 20"))))
        .isEqualTo(new Verdict.Pass(1));
  }

  @Test
  void aBodyHintThatFailsIsCountedAndChangesNothing() {
    VendorProfile broken =
        VendorProfile.builder("broken")
            .bodyHint(
                body -> {
                  throw new IllegalStateException("user code");
                })
            .bodyHint(body -> Optional.of(Duration.ofSeconds(-5)))
            .build();
    assertThat(broken.verdict(answer(429, List.of())))
        .isEqualTo(new Verdict.Stop(Optional.of(Duration.ZERO), /* refused= */ true, 1));
  }

  @Test
  void aBodyIsReadOnlyWhereItCanMatter() {
    assertThat(Vendors.GENERIC.readsBody(429)).isFalse();
    assertThat(Vendors.GITHUB.readsBody(403)).isTrue();
    assertThat(Vendors.GITHUB.readsBody(429)).isFalse();
    assertThat(Vendors.GITHUB.readsBody(200)).isFalse();
    assertThat(Vendors.DISCORD.readsBody(429)).isTrue();
    assertThat(Vendors.DISCORD.readsBody(302)).isFalse();
    assertThat(Vendors.SHOPIFY_GRAPHQL.readsBody(200)).isTrue();
  }

  @Test
  void aMemberNameWithinAStringIsNoMember() {
    assertThat(stop(ALL, answer(429, List.of()).body("{\"message\":\"\\\"retry_after\\\": 900\"}")).figure()).isEmpty();
    assertThat(stop(ALL, answer(429, List.of()).body("{\"retry_after")).figure()).isEmpty();
    assertThat(stop(ALL, answer(429, List.of()).body("{\"retry_after\":\"")).figure()).isEmpty();
    assertThat(stop(ALL, answer(429, List.of()).body("{\"retry_after\":null}")).figure()).isEmpty();
  }

  @Test
  void whatCannotBeIsNotMade() {
    assertThatThrownBy(() -> new Verdict.Stop(Optional.of(Duration.ofSeconds(-1)), /* refused= */ true, 0))
        .hasMessageContaining("PT-1S");
    assertThatThrownBy(() -> new Verdict.Stop(Optional.empty(), /* refused= */ false, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Figure(Duration.ofSeconds(-1), /* absolute= */ false, /* guessed= */ false))
        .hasMessage("a distance must not be negative, was PT-1S");
    assertThatThrownBy(() -> VendorProfile.builder("x").leastBackoff(Duration.ofSeconds(-1)).build())
        .hasMessageContaining("leastBackoff");
    assertThatThrownBy(() -> Field.of("")).hasMessageContaining("header");
  }

  private static Verdict.Stop stop(VendorProfile profile, Answer answer) {
    return (Verdict.Stop) profile.verdict(answer);
  }
}
