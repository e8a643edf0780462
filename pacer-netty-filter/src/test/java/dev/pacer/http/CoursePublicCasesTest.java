package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import dev.pacer.RateLimitedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What went wrong elsewhere in public, with the numbers of the reports. */
class CoursePublicCasesTest extends CourseWorld {

  private static final String DATE = "Thu, 01 Jan 2026 00:00:00 GMT";

  private void sendMany(int requests) {
    for (int i = 0; i < requests; i++) {
      send();
    }
  }

  private long now() {
    return time.now(TimeUnit.MILLISECONDS);
  }

  private static Response refusedUntil(String date) {
    return new Response(429, Map.of("Date", List.of(DATE), "Retry-After", List.of(date)), Flux.just("no"));
  }

  @Test
  @DisplayName("C043: a date an hour ago is no figure: 30, 60, 120 s; the present moment is no reason to spin")
  void aDateThatIsOverIsLikeNone() {
    script = n -> Mono.just(n <= 3 ? refusedUntil("Wed, 31 Dec 2025 23:00:00 GMT") : n == 4 ? refusedUntil(DATE) : ok());
    send(b -> b.attempts(5), "GET", RequestPacing.NONE);
    pass(Duration.ofSeconds(300));
    assertThat(sentAt).startsWith(0L, 30_000L, 90_000L, 210_000L).hasSize(5);
    assertThat(sentAt.get(4)).isGreaterThanOrEqualTo(211_000L);
    assertThat(seen).containsExactly(200);
  }

  @Test
  @DisplayName("C041: fractions are waited for in full")
  void fractionsAreWaitedForInFull() {
    List<String> figures = List.of("0.493", "1.5", "299.997", "292.052427053");
    script = n -> Mono.just(n <= 4 ? status(429, "Retry-After", figures.get(n - 1)) : ok());
    send(b -> b.attempts(5).maxWait(Duration.ofHours(1)), "GET", RequestPacing.NONE);
    pass(Duration.ofSeconds(700));
    for (int i = 0; i < 4; i++) {
      double told = Double.parseDouble(figures.get(i));
      assertThat((sentAt.get(i + 1) - sentAt.get(i)) / 1e3).isBetween(told - 0.001, told + 1);
    }
  }

  @Test
  @DisplayName("C047: 198 300 s and 1 000 who wait: all are told at once, nobody goes before, nobody has a timer")
  void aFigureOfDaysEndsEverybodysWaitAtOnce() {
    script = n -> Mono.just(n == 1 ? status(429, "Retry-After", "198300") : ok());
    send();
    long timers = time.getScheduledTaskCount();
    sendMany(1_000);
    pass(Duration.ofMillis(50));
    assertThat(seen).hasSize(1_001).startsWith(429);
    assertThat(seen.stream().skip(1)).allSatisfy(refused -> assertThat(refused).isInstanceOfSatisfying(
        RateLimitedException.class, e -> assertThat(e.retryAfter()).isEqualTo(Optional.of(Duration.ofSeconds(198_300)))));
    assertThat(time.getScheduledTaskCount()).isLessThanOrEqualTo(timers + 1);
    while (now() < 198_000_000) {
      send();
      pass(Duration.ofMinutes(10));
    }
    assertThat(sentAt).as("sent before it was over").hasSize(1);
    pass(Duration.ofMinutes(10));
    send();
    pass(Duration.ofSeconds(1));
    assertThat(seen.get(seen.size() - 1)).isEqualTo(200);
  }

  @Test
  @DisplayName("C048: 503 with Retry-After 0 for ever, 5/s, 20 callers: never more than 5 in a second, each ends with the 503")
  void retryNowIsNoHotLoop() {
    pacer.pace(KEY, Pace.perSecond(5));
    script = n -> Mono.just(status(503, "Retry-After", "0"));
    sendMany(20);
    pass(Duration.ofSeconds(299));
    for (int i = 5; i < sentAt.size(); i++) {
      assertThat(sentAt.get(i) - sentAt.get(i - 5)).isGreaterThanOrEqualTo(1_000L);
    }
    assertThat(sentAt).hasSize(80);
    assertThat(seen).hasSize(20).containsOnly(503);
  }

  /** Refuses without a figure until the key has so many strikes, and leaves the last cooldown just over. */
  private void strikeTimes(int times) {
    script = n -> Mono.just(status(429));
    for (int i = 0; i < times; i++) {
      send(b -> b.attempts(1), "GET", RequestPacing.NONE);
      pass(Duration.ofMillis(1));
      assertThat(pacer.gate(KEY).strikes()).isEqualTo(i + 1);
      pass(pacer.remaining(KEY).plusSeconds(1));
    }
  }

  private void assertNextIsTheFirstStrike() {
    script = n -> Mono.just(status(429));
    send(b -> b.attempts(1), "GET", RequestPacing.NONE);
    pass(Duration.ofMillis(1));
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(1);
    assertThat(pacer.remaining(KEY)).isBetween(Duration.ofSeconds(29), Duration.ofSeconds(30));
  }

  @Test
  @DisplayName("C054: after five strikes and one success, 30 s again")
  void aSuccessClearsTheStrikes() {
    strikeTimes(5);
    script = n -> Mono.just(ok());
    send();
    pass(Duration.ofSeconds(2));
    assertNextIsTheFirstStrike();
  }

  @Test
  @DisplayName("C054: after five strikes and a day without a call, 30 s again")
  void aDayClearsTheStrikes() {
    strikeTimes(5);
    pass(Duration.ofDays(1));
    assertNextIsTheFirstStrike();
  }

  @Test
  @DisplayName("C056: 10/s, 200 waiters, Retry-After 10, a server that counts strictly: in single file, and no further 429")
  void noHerdAtTheOpening() {
    pacer.pace(KEY, Pace.perSecond(10));
    script = n -> {
      boolean tooMany = n > 10 && now() - sentAt.get(n - 11) < 1_000;
      return Mono.just(n == 1 ? status(429, "Retry-After", "10") : tooMany ? status(429) : ok());
    };
    sendMany(200);
    pass(Duration.ofSeconds(5));
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(1);
    pass(Duration.ofSeconds(60));
    assertThat(seen).hasSize(200).containsOnly(200);
    assertThat(sentAt).hasSize(201);
    assertThat(sentAt.get(1)).isGreaterThanOrEqualTo(10_000L);
    assertThat(sentAt.get(200)).isGreaterThanOrEqualTo(29_900L);
    for (int i = 2; i < sentAt.size(); i++) {
      assertThat(sentAt.get(i) - sentAt.get(i - 1)).isGreaterThanOrEqualTo(100L);
    }
  }

  @Test
  @DisplayName("C057, C051: 50/s, 500 ms, still refused at the opening: what the pace lets out in 500 ms, one more strike, 60 s")
  void aLimitThatIsStillOnAtTheOpeningCostsNoMoreThanThePaceLetsOutUntilTheFirstAnswer() {
    pacer.pace(KEY, Pace.perSecond(50));
    script = n -> Mono.delay(Duration.ofMillis(500), time).thenReturn(status(429));
    sendMany(500);
    pass(Duration.ofSeconds(29));
    int first = sentAt.size();
    assertThat(first).isBetween(20, 26);
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(1);
    pass(Duration.ofSeconds(10));
    assertThat(sentAt.size() - first).isBetween(20, 26);
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(2);
    assertThat(pacer.remaining(KEY)).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(60));
  }

  @Test
  @DisplayName("C061: a 403 with Retry-After passes by default, and is a refusal where the profile says so")
  void otherStatusesAreRefusalsWhereTheProfileSaysSo() {
    script = n -> Mono.just(status(403, "Retry-After", "60"));
    send();
    pass(Duration.ofSeconds(1));
    assertThat(seen).containsExactly(403);
    assertThat(pacer.inCooldown(KEY)).isFalse();
    VendorProfile mine = Vendors.GENERIC.toBuilder("mine").refusal(Evidence.HINT, 403).build();
    send(b -> b.profile(mine).attempts(1), "GET", RequestPacing.NONE);
    pass(Duration.ofMillis(1));
    assertThat(pacer.remaining(KEY)).isBetween(Duration.ofSeconds(59), Duration.ofSeconds(60));
  }

  @Test
  @DisplayName("C037: each attempt of a caller's own retry leaves at a slot of its own")
  void eachAttemptOfARetryWaitsForItsOwnSlot() {
    script = n -> Mono.just(status(n <= 3 ? 500 : 200));
    request(b -> b, "GET", RequestPacing.NONE)
        .flatMap(r -> r.status() == 500 ? Mono.error(new IllegalStateException()) : Mono.just(r))
        .retry(3)
        .subscribe(r -> seen.add(r.status()), seen::add);
    pass(Duration.ofSeconds(10));
    assertThat(sentAt).containsExactly(0L, 1_000L, 2_000L, 3_000L);
    assertThat(seen).containsExactly(200);
  }
}
