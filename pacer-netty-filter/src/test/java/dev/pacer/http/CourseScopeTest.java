package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Which of several keys an answer stops. */
class CourseScopeTest extends CourseWorld {

  private static final String GLOBAL = "bot";
  private static final String CHANNEL = "bot /channels/1";
  private static final String OTHER = "bot /channels/2";

  private final UnaryOperator<HttpPacing.Builder> discord = b -> b.profile(Vendors.DISCORD);

  @BeforeEach
  void fiftyASecond() {
    pacer.defaultPace(Pace.perSecond(50));
  }

  private static Response answer(int status, String... headers) {
    Map<String, List<String>> fields =
        Stream.of(headers).map(line -> line.split(": ")).collect(Collectors.toMap(line -> line[0], line -> List.of(line[1])));
    return new Response(status, fields, Flux.just("{}"));
  }

  private void sendTo(String channel) {
    send(discord, "GET", RequestPacing.keys(List.of(GLOBAL, channel)));
  }

  private void firstAnswer(Response first) {
    script = n -> Mono.just(n == 1 ? first : ok());
    sendTo(CHANNEL);
    pass(Duration.ofMillis(1));
  }

  @Test
  @DisplayName("C062: a global refusal stops every route of the credential")
  void aGlobalRefusalStopsTheWidestKey() {
    firstAnswer(answer(429, "Retry-After: 65", "X-RateLimit-Global: true", "X-RateLimit-Scope: global"));
    assertThat(pacer.inCooldown(GLOBAL)).isTrue();
    assertThat(pacer.inCooldown(CHANNEL)).isFalse();
    sendTo(OTHER);
    pass(Duration.ofSeconds(64));
    assertThat(sentAt).hasSize(1);
    pass(Duration.ofSeconds(2));
    assertThat(seen).containsExactly(200, 200);
  }

  @Test
  @DisplayName("C062: a route's refusal stops that route and no other")
  void aRoutesRefusalStopsTheNarrowestKey() {
    firstAnswer(answer(429, "Retry-After: 65", "X-RateLimit-Scope: user"));
    assertThat(pacer.inCooldown(GLOBAL)).isFalse();
    assertThat(pacer.inCooldown(CHANNEL)).isTrue();
    sendTo(OTHER);
    pass(Duration.ofSeconds(1));
    assertThat(seen).containsExactly(200);
    pass(Duration.ofSeconds(65));
    assertThat(seen).containsExactly(200, 200);
  }

  @Test
  void aSharedRefusalIsAboutThatResourceOnly() {
    firstAnswer(
        answer(429, "Retry-After: 1337", "X-RateLimit-Scope: shared", "X-RateLimit-Remaining: 9", "X-RateLimit-Reset-After: 64.57"));
    assertThat(seen).containsExactly(429); // beyond the budget
    assertThat(pacer.inCooldown(GLOBAL)).isFalse();
    assertThat(pacer.remaining(CHANNEL)).isGreaterThan(Duration.ofSeconds(1_300));
  }

  @Test
  void aGoodAnswerThatLeavesARouteNothingDoesNotStopTheOthers() {
    firstAnswer(answer(200, "X-RateLimit-Remaining: 0", "X-RateLimit-Reset-After: 9.5", "X-RateLimit-Bucket: abcd1234"));
    assertThat(pacer.inCooldown(GLOBAL)).isFalse();
    assertThat(pacer.remaining(CHANNEL)).isGreaterThan(Duration.ofSeconds(9));
  }

  @Test
  void whatTheUserSaysWins() {
    UnaryOperator<HttpPacing.Builder> mine = discord.andThen(b -> b.stops((keys, answer) -> List.of(CHANNEL)))::apply;
    script = n -> Mono.just(n == 1 ? answer(429, "Retry-After: 65", "X-RateLimit-Global: true") : ok());
    send(mine, "GET", RequestPacing.keys(List.of(GLOBAL, CHANNEL)));
    pass(Duration.ofMillis(1));
    assertThat(pacer.inCooldown(GLOBAL)).isFalse();
    assertThat(pacer.inCooldown(CHANNEL)).isTrue();
  }

  @Test
  void aProfileThatDoesNotSayStopsAllKeys() {
    script = n -> Mono.just(n == 1 ? answer(429, "Retry-After: 65", "X-RateLimit-Global: true") : ok());
    send(b -> b, "GET", RequestPacing.keys(List.of(GLOBAL, CHANNEL)));
    pass(Duration.ofMillis(1));
    assertThat(pacer.inCooldown(GLOBAL)).isTrue();
    assertThat(pacer.inCooldown(CHANNEL)).isTrue();
  }

  private static Function<String, List<String>> token(String token) {
    return name -> name.equalsIgnoreCase("Authorization") ? List.of(token) : List.of();
  }

  private void sendAs(String token, UnaryOperator<HttpPacing.Builder> settings) {
    headers = token(token);
    send(settings, "GET", RequestPacing.NONE);
    pass(Duration.ofSeconds(1));
  }

  @Test
  @DisplayName("C062: by default the scope of a 429 is the host: another token of it waits too")
  void byDefaultTheScopeIsTheHost() {
    script = n -> Mono.just(n == 1 ? status(429, "Retry-After", "60") : ok());
    sendAs("A", b -> b);
    sendAs("B", b -> b);
    assertThat(sentAt).hasSize(1);
    pass(Duration.ofSeconds(60));
    assertThat(seen).containsExactly(200, 200);
  }

  @Test
  @DisplayName("C062: with a key for each token of a host the other token goes at once")
  void withAKeyForEachTokenTheOtherGoesAtOnce() {
    UnaryOperator<HttpPacing.Builder> byToken =
        b -> b.key(r -> r.destination().key() + " #" + r.fields().apply("authorization").hashCode());
    script = n -> Mono.just(n == 1 ? status(429, "Retry-After", "60") : ok());
    sendAs("A", byToken);
    sendAs("B", byToken);
    assertThat(seen).containsExactly(200);
    assertThat(sentAt).hasSize(2);
    pass(Duration.ofSeconds(60));
    assertThat(sentAt).hasSize(3);
    assertThat(sentAt.get(2)).isGreaterThanOrEqualTo(60_000L);
  }

  @Test
  @DisplayName("C063: three tokens of one user share the user's pace and row")
  void tokensOfOneUserShareOneQuota() {
    pacer.pace("user:42", Pace.perSecond(5));
    for (int i = 0; i < 30; i++) {
      headers = token("T" + i % 3);
      send(b -> b.key(r -> r.fields().apply("Authorization").get(0).startsWith("T") ? "user:42" : "other"), "GET", RequestPacing.NONE);
    }
    pass(Duration.ofSeconds(10));
    assertThat(seen).hasSize(30).containsOnly(200);
    assertThat(sentAt.get(29) - sentAt.get(0)).isGreaterThanOrEqualTo(5_800L);
    assertThat(recorder.slots("user:42")).isEqualTo(30);
  }
}
