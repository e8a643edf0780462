package dev.pacer.http;

import java.time.Duration;

/**
 * Profiles of well-known vendors, from their documentation and from what was seen of them. Vendors change; take one
 * of these with {@link VendorProfile#toBuilder} to differ from it.
 */
public final class Vendors {

  /**
   * For vendors that nobody made a profile of: the standards, and {@code X-RateLimit-Reset} in its two spellings, whose
   * unit is guessed by magnitude and which therefore never closes a gate for longer than {@link
   * VendorProfile#LONGEST_GUESS}.
   */
  public static final VendorProfile GENERIC =
      VendorProfile.builder("generic")
          .allowance(guess("X-RateLimit-Remaining", "X-RateLimit-Reset"))
          .allowance(guess("X-Rate-Limit-Remaining", "X-Rate-Limit-Reset"))
          .build();

  /** GitHub's REST API. Its 403 means many things, so it is a refusal only with evidence. */
  public static final VendorProfile GITHUB =
      VendorProfile.builder("github")
          .refusal(Evidence.ANY, 403)
          .marker("secondary rate limit")
          .allowance("x-ratelimit-remaining", "x-ratelimit-reset", Form.EPOCH_SECONDS)
          .leastBackoff(Duration.ofSeconds(60))
          .build();

  /** GitHub's GraphQL API, which refuses with status 200; every body has to be read for it. */
  public static final VendorProfile GITHUB_GRAPHQL =
      GITHUB.toBuilder("github-graphql").refusal(Evidence.BODY, 200).marker("\"RATE_LIMITED\"").build();

  /** Its resets say when all is renewed, not when the next call may go, so they count only where nothing is left. */
  public static final VendorProfile OPENAI =
      VendorProfile.builder("openai")
          .allowance("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests", Form.GO_DURATION)
          .allowance("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens", Form.GO_DURATION)
          .build();

  public static final VendorProfile ANTHROPIC =
      VendorProfile.builder("anthropic")
          .allowance(anthropic("requests"))
          .allowance(anthropic("tokens"))
          .allowance(anthropic("input-tokens"))
          .allowance(anthropic("output-tokens"))
          .allowance(
              Allowance.of(
                  Field.of("anthropic-ratelimit-unified-status"),
                  Count.REJECTED,
                  Field.of("anthropic-ratelimit-unified-reset"),
                  Form.EPOCH_SECONDS))
          .build();

  /**
   * Asks the body first: it is finer than {@code Retry-After}, and right for shared and global limits too. Its figures
   * are about the route, but for a global limit, which is the credential's.
   */
  public static final VendorProfile DISCORD =
      VendorProfile.builder("discord")
          .bodyHint(BodyHint.field("retry_after", Form.SECONDS))
          .allowance("X-RateLimit-Remaining", "X-RateLimit-Reset-After", Form.SECONDS)
          .order(Source.BODY, Source.HINTS, Source.RATE_LIMIT, Source.ALLOWANCES)
          .about(Scope.WIDEST, "X-RateLimit-Global", "true")
          .about(Scope.WIDEST, "X-RateLimit-Scope", "global")
          .about(Scope.NARROWEST)
          .build();

  /** What is left has a fraction, and the reset is a distance. */
  public static final VendorProfile REDDIT =
      VendorProfile.builder("reddit")
          .allowance(
              Allowance.of(
                  Field.of("x-ratelimit-remaining"), Count.SIGNED, Field.of("x-ratelimit-reset"), Form.SECONDS))
          .build();

  /** Shopify's REST API, whose {@code Retry-After} has a fraction. */
  public static final VendorProfile SHOPIFY = VendorProfile.builder("shopify").build();

  /** Shopify's GraphQL API, which refuses with status 200; every body has to be read for it. */
  public static final VendorProfile SHOPIFY_GRAPHQL =
      VendorProfile.builder("shopify-graphql")
          .refusal(Evidence.BODY, 200)
          .marker(ShopifyCost.THROTTLED)
          .bodyHint(new ShopifyCost())
          .build();

  public static final VendorProfile SLACK = VendorProfile.builder("slack").build();

  /** Jira and Confluence. Its bursts are an endpoint's, its quotas the app's. */
  public static final VendorProfile ATLASSIAN =
      VendorProfile.builder("atlassian")
          .allowance("X-RateLimit-Remaining", "X-RateLimit-Reset", Form.ISO)
          .allowance(Allowance.resetOnly("X-RateLimit-Reset", Form.ISO))
          .about(Scope.NARROWEST, "RateLimit-Reason", "jira-burst-based")
          .about(Scope.NARROWEST, "RateLimit-Reason", "jira-per-issue-on-write")
          .build();

  public static final VendorProfile AZURE = VendorProfile.builder("azure").build();

  public static final VendorProfile AWS =
      VendorProfile.builder("aws")
          .refusal(Evidence.BODY, 400)
          .marker("ThrottlingException")
          .marker("ProvisionedThroughputExceededException")
          .build();

  /** Google's APIs, which put {@code RetryInfo} into the body and often no header. */
  public static final VendorProfile GOOGLE =
      VendorProfile.builder("google").bodyHint(BodyHint.field("retryDelay", Form.GO_DURATION)).build();

  public static final VendorProfile TELEGRAM =
      VendorProfile.builder("telegram").bodyHint(BodyHint.field("retry_after", Form.SECONDS)).build();

  /** X, once Twitter; note the hyphen in {@code rate-limit}. */
  public static final VendorProfile X =
      VendorProfile.builder("x")
          .allowance("x-rate-limit-remaining", "x-rate-limit-reset", Form.EPOCH_SECONDS)
          .build();

  public static final VendorProfile LINEAR =
      VendorProfile.builder("linear")
          .refusal(Evidence.BODY, 400)
          .marker("\"RATELIMITED\"")
          .allowance("X-RateLimit-Requests-Remaining", "X-RateLimit-Requests-Reset", Form.EPOCH_MILLIS)
          .allowance("X-RateLimit-Complexity-Remaining", "X-RateLimit-Complexity-Reset", Form.EPOCH_MILLIS)
          .build();

  /** 418 means that the address is banned for not having stopped. */
  public static final VendorProfile BINANCE =
      VendorProfile.builder("binance").refusal(Evidence.STATUS, 418).build();

  /** Says how long its window is, which is the longest that the reset can take. */
  public static final VendorProfile HUBSPOT =
      VendorProfile.builder("hubspot")
          .allowance(
              "X-HubSpot-RateLimit-Remaining", "X-HubSpot-RateLimit-Interval-Milliseconds", Form.MILLIS)
          .build();

  /** Facebook, Instagram, WhatsApp: minutes, in the JSON of a header. */
  public static final VendorProfile META =
      VendorProfile.builder("meta")
          .refusal(Evidence.ANY, 400, 403)
          .hint(
              Field.of("X-Business-Use-Case-Usage").member("estimated_time_to_regain_access"), Form.MINUTES)
          .build();

  public static final VendorProfile BASECAMP =
      VendorProfile.builder("basecamp")
          .allowance(
              Allowance.of(
                  Field.of("X-RateLimit").member("remaining"),
                  Count.WHOLE,
                  Field.of("X-RateLimit").member("until"),
                  Form.ISO))
          .build();

  private Vendors() {}

  private static Allowance guess(String remaining, String reset) {
    return Allowance.of(Field.of(remaining), Count.DECIMAL, Field.of(reset), Form.GUESS);
  }

  private static Allowance anthropic(String what) {
    String name = "anthropic-ratelimit-" + what;
    return Allowance.of(name + "-remaining", name + "-reset", Form.ISO);
  }
}
