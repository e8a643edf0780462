package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What each vendor sends, and the wait it means; a moment is padded by {@link Figure#PAD}. */
class VendorsTest extends InEveryPlace {

  private static final VendorProfile DISCORD_V7 =
      VendorProfile.builder("discord-v7").noHints().hint("Retry-After", Form.MILLIS).build();
  private static final VendorProfile PRISJAKT =
      VendorProfile.builder("prisjakt").allowance(Allowance.resetOnly("X-Rate-Limit-Reset", Form.MILLIS)).build();
  private static final VendorProfile LEMLIST =
      VendorProfile.builder("lemlist").allowance(Allowance.resetOnly("X-RateLimit-Reset", Form.JS_DATE)).build();
  private static final VendorProfile SMARTSHEET =
      VendorProfile.builder("smartsheet")
          .allowance(Allowance.resetOnly("X-RateLimit-Reset", Form.EPOCH_SECONDS))
          .build();
  private static final VendorProfile MAILERLITE =
      VendorProfile.builder("mailerlite").hint("X-RateLimit-Retry-After", Form.SECONDS).build();
  private static final VendorProfile GRPC =
      VendorProfile.builder("grpc").hint("grpc-retry-pushback-ms", Form.MILLIS).build();
  private static final VendorProfile LENIENT = Vendors.GENERIC.toBuilder("lenient").lenient(true).build();

  VendorsTest(Places place) {
    super(place);
  }

  static Stream<Arguments> refusals() {
    return Stream.of(
        refusal(Vendors.GITHUB, 403, "PT1M31S", "x-ratelimit-remaining: 0", "x-ratelimit-reset: 1767225690"),
        refusal(Vendors.GITHUB, 429, "PT1M31S", "x-ratelimit-remaining: 0", "x-ratelimit-reset: 1767225690"),
        // octokit #599: the reset is now, and it is still limited
        refusal(Vendors.GITHUB, 403, "PT1S", "x-ratelimit-remaining: 0", "x-ratelimit-reset: 1767225600"),
        refusal(Vendors.GITHUB, 403, "PT0S", "retry-after: 0", "x-ratelimit-remaining: 0",
            "x-ratelimit-reset: 1767225690"),
        refusal(Vendors.GITHUB, 403, "PT1M", "retry-after: 60", "x-ratelimit-remaining: 4000"),
        refusal(Vendors.DISCORD, 429, "PT1M5S", "Retry-After: 65", "X-RateLimit-Reset-After: 64.57",
            "X-RateLimit-Scope: user"),
        refusal(Vendors.DISCORD, 429, "PT1M5S", "Retry-After: 65", "X-RateLimit-Global: true",
            "X-RateLimit-Scope: global"),
        refusal(Vendors.DISCORD, 429, "PT1M4.57S", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset-After: 64.57"),
        refusal(Vendors.DISCORD, 429, "PT22M17S", "Retry-After: 1337", "X-RateLimit-Remaining: 9",
            "X-RateLimit-Reset-After: 64.57", "X-RateLimit-Scope: shared"),
        refusal(DISCORD_V7, 429, "PT6.457S", "Retry-After: 6457"),
        refusal(Vendors.OPENAI, 429, "PT1S", "x-ratelimit-remaining-requests: 0", "x-ratelimit-reset-requests: 1s"),
        refusal(Vendors.OPENAI, 429, "PT6M", "x-ratelimit-remaining-requests: 9", "x-ratelimit-reset-requests: 1s",
            "x-ratelimit-remaining-tokens: 0", "x-ratelimit-reset-tokens: 6m0s"),
        refusal(Vendors.OPENAI, 429, "PT0.012S", "x-ratelimit-remaining-requests: 0",
            "x-ratelimit-reset-requests: 12ms"),
        refusal(Vendors.OPENAI, 429, "PT0.009S", "x-ratelimit-remaining-requests: 0",
            "x-ratelimit-reset-requests: 9ms"),
        refusal(Vendors.OPENAI, 429, "PT0.25S", "retry-after-ms: 250", "retry-after: 1"),
        refusal(Vendors.ANTHROPIC, 429, "PT1M", "retry-after: 60", "anthropic-ratelimit-requests-remaining: 0",
            "anthropic-ratelimit-requests-reset: 2026-01-01T00:01:30Z"),
        refusal(Vendors.ANTHROPIC, 429, "PT1M31S", "anthropic-ratelimit-requests-remaining: 0",
            "anthropic-ratelimit-requests-reset: 2026-01-01T00:01:30Z"),
        // the larger of those that are exhausted, and of those only
        refusal(Vendors.ANTHROPIC, 529, "PT1M31S", "anthropic-ratelimit-requests-remaining: 0",
            "anthropic-ratelimit-requests-reset: 2026-01-01T00:00:10Z", "anthropic-ratelimit-tokens-remaining: 0",
            "anthropic-ratelimit-tokens-reset: 2026-01-01T00:01:30Z", "anthropic-ratelimit-input-tokens-remaining: 7",
            "anthropic-ratelimit-input-tokens-reset: 2026-01-01T00:09:00Z"),
        refusal(Vendors.ANTHROPIC, 429, "PT1M31S", "anthropic-ratelimit-unified-status: rejected",
            "anthropic-ratelimit-unified-reset: 1767225690"),
        refusal(Vendors.SHOPIFY, 429, "PT2S", "X-Shopify-Shop-Api-Call-Limit: 40/40", "Retry-After: 2.0"),
        refusal(Vendors.REDDIT, 429, "PT7M19S", "x-ratelimit-remaining: 0.0", "x-ratelimit-reset: 439"),
        refusal(Vendors.X, 429, "PT15M1S", "x-rate-limit-limit: 900", "x-rate-limit-remaining: 0",
            "x-rate-limit-reset: 1767226500"),
        refusal(Vendors.SLACK, 429, "PT30S", "Retry-After: 30"),
        refusal(Vendors.GENERIC, 429, "PT27S", "Retry-After: 27"),
        refusal(Vendors.GENERIC, 529, "PT27S", "Retry-After: 27"),
        refusal(Vendors.ATLASSIAN, 429, "PT17S", "Retry-After: 17", "X-RateLimit-Reset: 2026-01-01T00:01Z"),
        refusal(Vendors.ATLASSIAN, 429, "PT1M1S", "X-RateLimit-Reset: 2026-01-01T00:01Z",
            "RateLimit-Reason: jira-burst-based"),
        refusal(Vendors.ATLASSIAN, 503, "PT17S", "Retry-After: 17"),
        refusal(Vendors.AWS, 503, "PT0.5S", "x-amz-retry-after: 500"),
        refusal(Vendors.AZURE, 429, "PT0.25S", "retry-after-ms: 250", "x-ms-retry-after-ms: 234", "Retry-After: 1"),
        refusal(Vendors.AZURE, 429, "PT0.234S", "x-ms-retry-after-ms: 234", "Retry-After: 1"),
        refusal(Vendors.AZURE, 429, "PT1S", "Retry-After: 1"),
        refusal(GRPC, 429, "PT1.5S", "grpc-retry-pushback-ms: 1500"),
        refusal(Vendors.LINEAR, 429, "PT1M31S", "X-RateLimit-Requests-Remaining: 0",
            "X-RateLimit-Requests-Reset: 1767225690000"),
        refusal(Vendors.LINEAR, 429, "PT1M31S", "X-RateLimit-Complexity-Remaining: 0",
            "X-RateLimit-Complexity-Reset: 1767225690000"),
        refusal(Vendors.GENERIC, 429, "PT7S", "X-App-Rate-Limit: 20:1,100:120", "Retry-After: 7"),
        refusal(Vendors.HUBSPOT, 429, "PT10S", "X-HubSpot-RateLimit-Interval-Milliseconds: 10000",
            "X-HubSpot-RateLimit-Remaining: 0"),
        refusal(PRISJAKT, 429, "PT10M", "X-Rate-Limit-Reset: 600000"),
        refusal(SMARTSHEET, 429, "PT1M31S", "X-RateLimit-Reset: 1767225690"),
        refusal(Vendors.BASECAMP, 429, "PT21S",
            "X-RateLimit: {\"name\":\"API\",\"period\":10,\"limit\":50,\"remaining\":0,\"until\":\"2026-01-01T00:00:20Z\"}"),
        refusal(MAILERLITE, 429, "PT30S", "X-RateLimit-Retry-After: 30"),
        refusal(Vendors.GENERIC, 429, "PT0S", "Retry-After: 0"),
        refusal(Vendors.GENERIC, 429, "PT24H", "Retry-After: 86400"),
        refusal(Vendors.META, 403, "PT12M",
            "X-Business-Use-Case-Usage: {\"1\":[{\"type\":\"ads\",\"estimated_time_to_regain_access\":0},"
                + "{\"type\":\"pages\",\"estimated_time_to_regain_access\": 12}]}"),
        refusal(Vendors.BINANCE, 429, "PT30S", "Retry-After: 30"),
        refusal(Vendors.BINANCE, 418, "PT30S", "Retry-After: 30"),
        refusal(LENIENT, 429, "PT30S", "Retry-After: 30s"),
        refusal(LENIENT, 429, "PT1M", "Retry-After: 1m0s"),
        // Cloudflare
        refusal(Vendors.GENERIC, 429, "PT20S", "Retry-After: 20", "RateLimit: \"dynamic\";r=15;t=40"),
        refusal(Vendors.GENERIC, 429, "PT50S", "Ratelimit: \"default\";r=0;t=50",
            "Ratelimit-Policy: \"burst\";q=100;w=60"),
        refusal(Vendors.GENERIC, 429, "PT53S", "ratelimit-remaining: 0", "ratelimit-reset: 53"));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void aRefusalStopsForTheVendorsFigure(VendorProfile vendor, int status, String wait, List<String> headers) {
    assertThat(vendor.verdict(answer(status, headers)))
        .isEqualTo(new Verdict.Stop(Optional.of(Duration.parse(wait)), /* refused= */ true, 0));
  }

  static Stream<Arguments> bodies() {
    return Stream.of(
        body(Vendors.DISCORD, 429, "PT1M4.57S", "{\"message\":\"\",\"retry_after\":64.57,\"global\":false}",
            "Retry-After: 65",
            "X-RateLimit-Reset: 1767225664.570", "X-RateLimit-Reset-After: 64.57", "X-RateLimit-Remaining: 0"),
        body(Vendors.GOOGLE, 429, "PT39S",
            "{\"error\":{\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"39s\"}]}}"),
        body(Vendors.GOOGLE, 503, "PT3.5S", "{\"retryDelay\" :\n \"3.5s\"}"),
        body(Vendors.TELEGRAM, 429, "PT35S", "{\"ok\":false,\"parameters\":{\"retry_after\":35}}"),
        body(Vendors.SHOPIFY_GRAPHQL, 200, "PT1.68S",
            "{\"errors\":[{\"extensions\":{\"code\":\"THROTTLED\"}}],\"extensions\":{\"cost\":{\"requestedQueryCost\":202,"
                + "\"throttleStatus\":{\"maximumAvailable\":1000.0,\"currentlyAvailable\":118,\"restoreRate\":50.0}}}}"));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void aFigureInTheBodyCounts(VendorProfile vendor, int status, String wait, String body, List<String> headers) {
    assertThat(vendor.readsBody(status)).isTrue();
    assertThat(vendor.verdict(answer(status, headers).body(body)))
        .isEqualTo(new Verdict.Stop(Optional.of(Duration.parse(wait)), /* refused= */ true, 0));
  }

  static Stream<Arguments> backoffs() {
    return Stream.of(
        backoff(Vendors.GENERIC, 429, ""),
        backoff(Vendors.GENERIC, 503, ""),
        backoff(Vendors.GENERIC, 429, "", "Stripe-Rate-Limited-Reason: global-rate", "Stripe-Should-Retry: true"),
        backoff(Vendors.GITHUB, 403, "You have exceeded a Secondary Rate Limit", "x-ratelimit-remaining: 4000",
            "x-ratelimit-reset: 1767225690"),
        backoff(Vendors.GITHUB, 403, "", "x-ratelimit-remaining: 0"),
        backoff(Vendors.GITHUB_GRAPHQL, 200, "{\"errors\":[{\"type\":\"RATE_LIMITED\"}]}"),
        backoff(Vendors.AWS, 400, "{\"__type\":\"com.amazonaws#ThrottlingException\"}"),
        // time until all is renewed, and something is left
        backoff(Vendors.OPENAI, 429, "", "x-ratelimit-remaining-requests: 3", "x-ratelimit-reset-requests: 6m0s"),
        backoff(LEMLIST, 429, "",
            "X-RateLimit-Reset: Tue Feb 16 2021 09:02:42 GMT+0100 (Central European Standard Time)"),
        backoff(Vendors.GENERIC, 429, "", "Retry-After: Wed, 31 Dec 2025 23:00:00 GMT"));
  }

  @ParameterizedTest
  @MethodSource("backoffs")
  void aRefusalWithoutAFigureIsLeftToBackoff(VendorProfile vendor, int status, String body, List<String> headers) {
    assertThat(vendor.verdict(answer(status, headers).body(body)))
        .isEqualTo(new Verdict.Stop(Optional.empty(), /* refused= */ true, 0));
  }

  static Stream<Arguments> passes() {
    return Stream.of(
        backoff(Vendors.GENERIC, 200, "", "Retry-After: 60"),
        backoff(Vendors.GENERIC, 403, "", "Retry-After: 60"),
        backoff(Vendors.GENERIC, 418, "", "Retry-After: 60"),
        backoff(Vendors.GENERIC, 404, ""),
        backoff(Vendors.GENERIC, 500, "", "Retry-After: 60"),
        backoff(Vendors.GENERIC, 302, "", "Retry-After: 0"),
        backoff(Vendors.GENERIC, 413, ""),
        backoff(Vendors.GITHUB, 403, "Resource not accessible", "x-ratelimit-remaining: 4000",
            "x-ratelimit-reset: 1767225690"),
        backoff(Vendors.OPENAI, 200, "", "x-ratelimit-remaining-requests: 3", "x-ratelimit-reset-requests: 6m0s"),
        backoff(Vendors.REDDIT, 200, "", "x-ratelimit-used: 2", "x-ratelimit-remaining: 98.0",
            "x-ratelimit-reset: 439"),
        backoff(Vendors.GENERIC, 200, "", "ratelimit-limit: 100;w=21600", "ratelimit-remaining: 20;w=21600"),
        backoff(Vendors.GENERIC, 200, "", "RateLimit: \"day\";r=100;t=36000"),
        backoff(Vendors.GENERIC, 200, "", "RateLimit: \"a\";r=0;t=0"),
        backoff(Vendors.GENERIC, 200, "", "RateLimit: \"a\";r=0"),
        backoff(Vendors.SHOPIFY, 200, "", "X-Shopify-Shop-Api-Call-Limit: 39/40"),
        // a served query has paid already
        backoff(Vendors.SHOPIFY_GRAPHQL, 200,
            "{\"requestedQueryCost\":500,\"currentlyAvailable\":400,\"restoreRate\":50}"),
        backoff(Vendors.META, 400, "", "X-Business-Use-Case-Usage: {\"1\":[{\"estimated_time_to_regain_access\":0}]}"),
        backoff(Vendors.ATLASSIAN, 200, "", "X-RateLimit-Reset: 2026-01-01T00:01Z"));
  }

  @ParameterizedTest
  @MethodSource("passes")
  void whatIsNoRefusalPasses(VendorProfile vendor, int status, String body, List<String> headers) {
    assertThat(vendor.verdict(answer(status, headers).body(body))).isEqualTo(new Verdict.Pass(0));
  }

  static Stream<Arguments> lastGoodAnswers() {
    return Stream.of(
        refusal(Vendors.GENERIC, 200, "PT20S", "RateLimit: \"default\";r=0;t=20"),
        refusal(Vendors.GENERIC, 404, "PT20S", "RateLimit: \"default\";r=0;t=20"),
        refusal(Vendors.GENERIC, 200, "PT30S", "RateLimit: limit=100, remaining=0, reset=30"),
        refusal(Vendors.GENERIC, 200, "PT53S", "RateLimit-Limit: 100", "RateLimit-Remaining: 0", "RateLimit-Reset: 53"),
        refusal(Vendors.GITHUB, 200, "PT1M31S", "x-ratelimit-remaining: 0", "x-ratelimit-reset: 1767225690"),
        refusal(Vendors.DISCORD, 204, "PT1M4.57S", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset-After: 64.57"),
        refusal(Vendors.REDDIT, 200, "PT7M19S", "x-ratelimit-remaining: 0.0", "x-ratelimit-reset: 439"),
        refusal(Vendors.REDDIT, 200, "PT7M19S", "x-ratelimit-remaining: -1.0", "x-ratelimit-reset: 439"),
        refusal(Vendors.OPENAI, 200, "PT6M", "x-ratelimit-remaining-tokens: 0", "x-ratelimit-reset-tokens: 6m0s"),
        // a wait in a good answer is no figure, but what is exhausted is
        refusal(Vendors.GENERIC, 200, "PT20S", "Retry-After: 500", "RateLimit: \"default\";r=0;t=20"));
  }

  @ParameterizedTest
  @MethodSource("lastGoodAnswers")
  void aGoodAnswerThatLeavesNothingStopsBeforeTheFirstRefusal(
      VendorProfile vendor, int status, String wait, List<String> headers) {
    assertThat(vendor.verdict(answer(status, headers)))
        .isEqualTo(new Verdict.Stop(Optional.of(Duration.parse(wait)), /* refused= */ false, 0));
  }

  @Test
  void gitHubWantsToBeLeftAloneForAMinuteAtLeast() {
    assertThat(Vendors.GITHUB.leastBackoff()).isEqualTo(Duration.ofSeconds(60));
  }

  @ParameterizedTest
  @MethodSource("abouts")
  void aVendorThatSaysWhatItsAnswerIsAboutIsUnderstood(VendorProfile vendor, Scope scope, List<String> headers) {
    assertThat(vendor.scope(answer(429, headers))).isEqualTo(scope);
    assertThat(vendor.toBuilder("mine").build().scope(answer(429, headers))).isEqualTo(scope);
  }

  static List<Arguments> abouts() {
    return List.of(
        about(Vendors.DISCORD, Scope.WIDEST, "X-RateLimit-Global: true", "X-RateLimit-Scope: global"),
        about(Vendors.DISCORD, Scope.WIDEST, "X-RateLimit-Global: true"),
        about(Vendors.DISCORD, Scope.WIDEST, "x-ratelimit-scope: Global"),
        about(Vendors.DISCORD, Scope.NARROWEST, "X-RateLimit-Scope: user", "X-RateLimit-Bucket: abcd1234"),
        about(Vendors.DISCORD, Scope.NARROWEST, "X-RateLimit-Scope: shared"),
        about(Vendors.DISCORD, Scope.NARROWEST, "X-RateLimit-Global: false"),
        about(Vendors.DISCORD, Scope.NARROWEST),
        about(Vendors.ATLASSIAN, Scope.NARROWEST, "RateLimit-Reason: jira-burst-based"),
        about(Vendors.ATLASSIAN, Scope.NARROWEST, "RateLimit-Reason: jira-per-issue-on-write"),
        about(Vendors.ATLASSIAN, Scope.ALL, "RateLimit-Reason: jira-quota-tenant-based"),
        about(Vendors.GENERIC, Scope.ALL, "X-RateLimit-Global: true"));
  }

  private static Arguments about(VendorProfile vendor, Scope scope, String... headers) {
    return Arguments.of(vendor, scope, List.of(headers));
  }

  private static Arguments refusal(VendorProfile vendor, int status, String wait, String... headers) {
    return Arguments.of(vendor, status, wait, List.of(headers));
  }

  private static Arguments body(VendorProfile vendor, int status, String wait, String body, String... headers) {
    return Arguments.of(vendor, status, wait, body, List.of(headers));
  }

  private static Arguments backoff(VendorProfile vendor, int status, String body, String... headers) {
    return Arguments.of(vendor, status, body, List.of(headers));
  }

  static Answer answer(int status, List<String> headers) {
    Map<String, List<String>> fields = new LinkedHashMap<>();
    fields.put("date", List.of(DATE));
    headers.forEach(line -> fields.put(line.substring(0, line.indexOf(':')),
        List.of(line.substring(line.indexOf(':') + 2))));
    return Answer.of(status, fields, NOW.plusSeconds(3));
  }
}
