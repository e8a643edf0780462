package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.RateLimitedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.blockhound.BlockingOperationError;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;

/** The rules of the loop, one by one. */
class CourseTest extends CourseWorld {

  @Test
  void aRefusedRequestIsSentAgainWhenTheGateOpensAndTheCallerSeesTheGoodAnswer() {
    script = n -> Mono.just(n < 3 ? status(429, "Retry-After", "7") : ok());
    send();
    pass(Duration.ofSeconds(60));
    assertThat(sentAt).containsExactly(0L, 7_000L, 14_000L);
    assertThat(seen).containsExactly(200);
    assertThat(bodiesRead).isEqualTo(2);
    assertThat(recorder.slots(KEY)).isEqualTo(3);
  }

  @Test
  void withoutAFigureBackoffDecides() {
    script = n -> Mono.just(n < 3 ? status(429) : ok());
    send();
    pass(Duration.ofSeconds(200));
    assertThat(sentAt).containsExactly(0L, 30_000L, 90_000L);
  }

  @Test
  void theLastAttemptsAnswerIsGivenBackUnread() {
    script = n -> Mono.just(status(429, "Retry-After", "1"));
    send(b -> b.attempts(2), "GET", RequestPacing.NONE);
    pass(Duration.ofSeconds(60));
    assertThat(sentAt).hasSize(2);
    assertThat(seen).containsExactly(429);
    assertThat(bodiesRead).isEqualTo(1);
  }

  @Test
  void orAnErrorThatSaysAllAndThenTheBodyIsRead() {
    script = n -> Mono.just(status(429, "Retry-After", "9"));
    send(b -> b.attempts(1).onRefused(HttpPacing.OnRefused.ERROR), "GET", RequestPacing.NONE);
    pass(Duration.ofSeconds(1));
    assertThat(seen).singleElement().isInstanceOfSatisfying(RefusedException.class, refused -> {
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.key()).isEqualTo(KEY);
      assertThat(refused.sends()).isEqualTo(1);
      assertThat(refused.retryAfter()).contains(Duration.ofSeconds(9));
    });
    assertThat(bodiesRead).isEqualTo(1);
  }

  @Test
  void gateAndSlotAndAllSendingsShareOneBudget() {
    script = n -> Mono.just(status(429, "Retry-After", "100"));
    send(b -> b.maxWait(Duration.ofSeconds(250)), "GET", RequestPacing.NONE);
    pass(Duration.ofSeconds(1_000));
    assertThat(sentAt).containsExactly(0L, 100_000L, 200_000L); // 50 s are left, and the third figure is 100 s
    assertThat(seen).containsExactly(429);
  }

  @Test
  void whatTheVendorTakesToAnswerIsNotWaiting() {
    script = n -> Mono.delay(Duration.ofSeconds(50), time).thenReturn(n < 2 ? status(429, "Retry-After", "5") : ok());
    send(b -> b.maxWait(Duration.ofSeconds(10)), "GET", RequestPacing.NONE);
    pass(Duration.ofSeconds(200));
    assertThat(seen).containsExactly(200);
  }

  @Test
  void aFigureBeyondTheBudgetGivesTheRefusalBackAtOnce() {
    script = n -> Mono.just(status(429, "Retry-After", "301"));
    send();
    pass(Duration.ZERO);
    assertThat(seen).containsExactly(429);
    assertThat(bodiesRead).isZero();
    assertThat(pacer.remaining(KEY)).isEqualTo(Duration.ofSeconds(301));
    send();
    pass(Duration.ZERO);
    assertThat(seen.get(1)).isInstanceOfSatisfying(
        RateLimitedException.class, e -> assertThat(e.retryAfter()).contains(Duration.ofSeconds(301)));
  }

  @Test
  void aServerErrorIsRepeatedOnlyWhereThatDoesNoHarm() {
    script = n -> Mono.just(n % 2 == 1 ? status(503) : ok());
    send(b -> b, "POST", RequestPacing.NONE);
    send(b -> b, "GET", RequestPacing.NONE);
    pass(Duration.ofSeconds(200));
    assertThat(seen).contains(503);
    assertThat(new Refusal("POST", 503, Optional.empty(), 1).isRepeatable()).isFalse();
    assertThat(new Refusal("POST", 503, Optional.of(Duration.ZERO), 1).isRepeatable()).isTrue();
    assertThat(new Refusal("PUT", 503, Optional.empty(), 1).isRepeatable()).isTrue();
    assertThat(new Refusal("POST", 429, Optional.empty(), 1).isRepeatable()).isTrue();
    assertThat(new Refusal("GET", 302, Optional.of(Duration.ofSeconds(1)), 1).isRepeatable()).isFalse();
  }

  @Test
  void noResendIsForTheRequestToSay() {
    script = n -> Mono.just(status(429, "Retry-After", "1"));
    send(b -> b, "GET", RequestPacing.NONE.resend(false));
    pass(Duration.ofSeconds(10));
    assertThat(sentAt).hasSize(1);
    assertThat(seen).containsExactly(429);
    assertThat(recorder.cooldowns(KEY)).isEqualTo(1);
  }

  @Test
  void requestsThatHeldASlotWaitForTheGateThatShutInTheMeantime() {
    pacer.pace(KEY, Pace.perSecond(100));
    script = n -> Mono.just(n == 10 ? status(429, "Retry-After", "20") : ok());
    for (int i = 0; i < 100; i++) {
      send();
    }
    pass(Duration.ofMillis(19_000));
    assertThat(sentAt).hasSize(10);
    pass(Duration.ofSeconds(60));
    assertThat(sentAt).hasSize(101);
    assertThat(seen).hasSize(100).containsOnly(200);
    assertThat(sentAt.get(10)).isGreaterThanOrEqualTo(20_090L);
    for (int i = 11; i < 101; i++) {
      assertThat(sentAt.get(i) - sentAt.get(i - 1)).isGreaterThanOrEqualTo(10L); // single file
    }
  }

  @Test
  void parallelRefusalsAreOneStrike() {
    pacer.pace(KEY, Pace.perSecond(1_000).burst(20));
    script = n -> Mono.delay(Duration.ofSeconds(1), time).thenReturn(n <= 20 ? status(429) : ok());
    for (int i = 0; i < 20; i++) {
      send();
    }
    pass(Duration.ofMillis(1_500));
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(1);
    assertThat(pacer.remaining(KEY)).isLessThanOrEqualTo(Duration.ofSeconds(30));
    pass(Duration.ofSeconds(60));
    assertThat(seen).hasSize(20).containsOnly(200);
    assertThat(pacer.gate(KEY).strikes()).isZero();
  }

  @Test
  void nothingLeftShutsTheGateBeforeTheFirstRefusalAndIsNoStrike() {
    script = n -> Mono.just(new Response(200, Map.of("X-RateLimit-Remaining", List.of("0"), "X-RateLimit-Reset", List.of("20")), Flux.just("")));
    send();
    pass(Duration.ofMillis(1));
    assertThat(seen).containsExactly(200);
    assertThat(pacer.remaining(KEY)).isGreaterThan(Duration.ofSeconds(19));
    assertThat(pacer.gate(KEY).strikes()).isZero();
  }

  @Test
  void aFigureInTheBodyCountsWhereTheProfileReadsIt() {
    script = n -> Mono.just(n == 1
        ? new Response(429, Map.of(), Flux.just("{\"parameters\":{\"retry", "_after\":4}}")) : ok());
    send(b -> b.profile(Vendors.TELEGRAM), "POST", RequestPacing.NONE);
    pass(Duration.ofSeconds(60));
    assertThat(sentAt).containsExactly(0L, 4_000L);
  }

  @Test
  void aRefusalThatOnlyItsBodyShowsShutsTheGate() {
    script = n -> Mono.just(new Response(200, Map.of(), Flux.just("{\"errors\":[{\"type\":\"RATE_LIMITED\"}]}")));
    send(b -> b.profile(Vendors.GITHUB_GRAPHQL), "POST", RequestPacing.NONE);
    pass(Duration.ofMillis(1));
    assertThat(seen).containsExactly(200);
    assertThat(pacer.remaining(KEY)).isGreaterThan(Duration.ofSeconds(50)); // the least that GitHub wants
  }

  @Test
  void aBodyThatNeverEndsIsGivenUp() {
    script = n -> Mono.just(n == 1
        ? new Response(429, Map.of("Retry-After", List.of("1")), Flux.never())
        : n == 2 ? new Response(429, Map.of("Retry-After", List.of("1")), Flux.just("x".repeat(1_000)).repeat()) : ok());
    send();
    pass(Duration.ofSeconds(10));
    assertThat(seen).containsExactly(200);
  }

  @Test
  void aGuardThatRefusesCostsNeitherWaitNorSlot() {
    RuntimeException open = new IllegalStateException("circuit open");
    pacer.coolDown(KEY, Duration.ofSeconds(100));
    send(b -> b.guard(destination -> Mono.error(open)), "GET", RequestPacing.NONE);
    pass(Duration.ZERO);
    assertThat(seen).containsExactly(open);
    assertThat(recorder.slots(KEY)).isZero();
  }

  @Test
  void aGuardIsAskedForEachSendingWithTheDestination() {
    List<String> asked = new ArrayList<>();
    script = n -> Mono.just(n == 1 ? status(429, "Retry-After", "1") : ok());
    send(b -> b.key(r -> "credential").guard(d -> Mono.fromRunnable(() -> asked.add(d))), "GET", RequestPacing.NONE);
    pass(Duration.ofSeconds(10));
    assertThat(asked).containsExactly(KEY, KEY);
    assertThat(recorder.slots("credential")).isEqualTo(2);
  }

  @Test
  void withTheGateOffAnswersAreNotHeard() {
    script = n -> Mono.just(status(429, "Retry-After", "100"));
    send(b -> b.gate(false), "GET", RequestPacing.NONE);
    pass(Duration.ofSeconds(1));
    assertThat(seen).containsExactly(429);
    assertThat(pacer.inCooldown(KEY)).isFalse();
  }

  @Test
  void withPacingOffNoSlotIsTakenUntilAGateIsShutAndThenTheyGoInSingleFile() {
    for (int i = 0; i < 5; i++) {
      send(b -> b.pacing(false), "GET", RequestPacing.NONE);
    }
    assertThat(sentAt).containsExactly(0L, 0L, 0L, 0L, 0L);
    pacer.coolDown(KEY, Duration.ofSeconds(10));
    for (int i = 0; i < 3; i++) {
      send(b -> b.pacing(false), "GET", RequestPacing.NONE);
    }
    pass(Duration.ofSeconds(30));
    assertThat(sentAt.subList(5, 8)).containsExactly(10_000L, 11_000L, 12_000L);
  }

  @Test
  void aBigDownloadNeverWaitsButItsRefusalShutsTheGateForOthers() {
    pacer.coolDown(KEY, Duration.ofSeconds(5));
    script = n -> Mono.just(n == 1 ? status(429, "Retry-After", "60") : ok());
    send(b -> b, "GET", RequestPacing.NONE.mode(HttpPacing.Mode.NEVER_WAIT));
    assertThat(sentAt).containsExactly(0L);
    assertThat(seen).containsExactly(429);
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(1); // that of the first stop
    send();
    pass(Duration.ofSeconds(59));
    assertThat(sentAt).hasSize(1);
    pass(Duration.ofSeconds(10));
    assertThat(sentAt).hasSize(2);
  }

  @Test
  void allOfSeveralKeysMustGrant() {
    pacer.pace("global", Pace.perSecond(10));
    pacer.pace("endpoint", Pace.perSecond(1));
    for (int i = 0; i < 3; i++) {
      send(b -> b.keys(r -> List.of("global", "endpoint")), "GET", RequestPacing.NONE);
    }
    pass(Duration.ofSeconds(30));
    assertThat(sentAt).containsExactly(0L, 1_000L, 2_000L);
    assertThat(recorder.slots("global")).isEqualTo(3);
    assertThat(recorder.slots("endpoint")).isEqualTo(3);
  }

  @Test
  void aKeyThatIsGivenTwiceGrantsOnce() {
    send(b -> b.keys(r -> List.of("one", "one")), "GET", RequestPacing.NONE);
    send(b -> b, "GET", RequestPacing.keys(List.of("two", "two")));
    pass(Duration.ofSeconds(5));
    assertThat(sentAt).containsExactly(0L, 0L);
    assertThat(recorder.slots("one")).isEqualTo(1);
    assertThat(recorder.slots("two")).isEqualTo(1);
  }

  @Test
  void aShutGateOfOneKeyIsWaitedForBeforeTheOthersGrant() {
    pacer.coolDown("endpoint", Duration.ofSeconds(50));
    for (int i = 0; i < 3; i++) {
      send(b -> b.keys(r -> List.of("a-global", "endpoint")), "GET", RequestPacing.NONE);
    }
    pass(Duration.ofSeconds(49));
    assertThat(recorder.slots("a-global")).isZero();
    pass(Duration.ofSeconds(30));
    assertThat(seen).hasSize(3);
  }

  @Test
  void aGateThatShutsAfterItsKeyHasGrantedIsSeenLastThingBeforeTheSending() {
    pacer.pace("endpoint", Pace.of(1, Duration.ofSeconds(10)));
    for (int i = 0; i < 2; i++) {
      send(b -> b.keys(r -> List.of("a-global", "endpoint")), "GET", RequestPacing.NONE);
    }
    pass(Duration.ofSeconds(5));
    assertThat(recorder.slots("a-global")).isEqualTo(2); // and the second waits for the endpoint's
    pacer.coolDown("a-global", Duration.ofSeconds(60));
    pass(Duration.ofSeconds(59));
    assertThat(sentAt).containsExactly(0L);
    pass(Duration.ofSeconds(60));
    assertThat(sentAt).hasSize(2);
  }

  @Test
  void onlyTheKeysThatAnAnswerIsAboutAreShut() {
    script = n -> Mono.just(n == 1 ? status(429, "Retry-After", "9") : ok());
    send(b -> b.keys(r -> List.of("global", "endpoint")).stops((keys, answer) -> List.of("endpoint")), "GET", RequestPacing.NONE);
    pass(Duration.ofMillis(1));
    assertThat(pacer.inCooldown("endpoint")).isTrue();
    assertThat(pacer.inCooldown("global")).isFalse();
  }

  @Test
  void aRequestWithoutKeysPasses() {
    send(b -> b.keys(r -> List.of()), "GET", RequestPacing.NONE);
    assertThat(seen).containsExactly(200);
  }

  @Test
  void cancellingEndsItWhereverItIs() {
    script = n -> Mono.just(status(429, "Retry-After", "5"));
    Disposable waitsForSlot = send();
    Disposable second = send();
    second.dispose();
    pass(Duration.ofSeconds(2));
    assertThat(sentAt).hasSize(1);
    waitsForSlot.dispose(); // at the gate
    pass(Duration.ofSeconds(60));
    assertThat(sentAt).hasSize(1);
    assertThat(seen).isEmpty();
  }

  @Test
  void aRefusalWithoutAnEndEndsWithTheAttempts() {
    script = n -> Mono.just(status(503, "Retry-After", "0"));
    for (int i = 0; i < 20; i++) {
      send(b -> b, "GET", RequestPacing.NONE);
    }
    pass(Duration.ofSeconds(290));
    assertThat(sentAt).hasSize(80);
    assertThat(seen).hasSize(20).containsOnly(503);
  }

  @Test
  void anAnswerOfTransportIsToldToTheGuardAndGoesOn() {
    java.io.IOException reset = new java.io.IOException("reset");
    script = n -> Mono.error(reset);
    UnreachableGuard guard = UnreachableGuard.create().clock(time);
    send(b -> b.guard(guard), "GET", RequestPacing.NONE);
    send(b -> b.guard(guard), "GET", RequestPacing.NONE);
    pass(Duration.ofSeconds(1));
    assertThat(seen.get(0)).isSameAs(reset);
    assertThat(pacer.inCooldown(KEY)).isFalse();
    pass(Duration.ofSeconds(2));
    send(b -> b.guard(guard), "GET", RequestPacing.NONE);
    assertThat(seen).hasSize(3);
    assertThat(seen.get(2)).isInstanceOf(UnreachableException.class);
  }

  @Test
  void aVendorThatNeverStopsRefusingIsAskedEverMoreSeldomAndThenAtTheCap() {
    script = n -> Mono.just(status(429));
    for (int second = 0; second < 7_200; second++) {
      send(b -> b.attempts(1), "GET", RequestPacing.NONE);
      pass(Duration.ofSeconds(1));
    }
    List<Long> seconds = sentAt.stream().map(millis -> millis / 1_000).toList();
    List<Long> expected = List.of(0L, 30L, 90L, 210L, 450L, 930L, 1_890L, 3_690L, 5_490L);
    assertThat(seconds).hasSize(expected.size());
    for (int i = 0; i < expected.size(); i++) {
      assertThat(seconds.get(i)).isBetween(expected.get(i), expected.get(i) + 1L);
    }
    script = n -> Mono.just(ok());
    pass(Duration.ofSeconds(1_800));
    assertThat(seen).contains(200); // and it recovers
    assertThat(pacer.gate(KEY).strikes()).isZero();
  }

  @Test
  void aBulkJobLivesThroughAFloodOfRefusals() {
    pacer.pace(KEY, Pace.perSecond(5));
    long[] shutAt = {-1};
    script =
        n -> {
          long now = time.now(TimeUnit.MILLISECONDS);
          shutAt[0] = n == 50 ? now : shutAt[0];
          boolean refused = shutAt[0] >= 0 && now - shutAt[0] < 120_000;
          return Mono.delay(Duration.ofMillis(700), time)
              .thenReturn(refused ? status(429, "Retry-After", "120") : ok());
        };
    Flux.range(0, 500)
        .flatMap(n -> request(b -> b, "GET", RequestPacing.NONE), 16)
        .subscribe(r -> seen.add(r.status()), seen::add);
    pass(Duration.ofSeconds(400));
    assertThat(seen).hasSize(500).containsOnly(200);
    long whileShut = sentAt.stream().filter(at -> at > shutAt[0] && at < shutAt[0] + 120_700).count();
    assertThat(whileShut).isLessThanOrEqualTo(16);
  }

  @Test
  void credentialsOfOneHostArePacedApartIfTheKeySaysSo() {
    UnaryOperator<HttpPacing.Builder> byToken = b -> b.key(r -> r.destination().key() + " " + r.method());
    script = n -> Mono.just(n == 1 ? status(429, "Retry-After", "60") : ok());
    send(byToken, "GET", RequestPacing.NONE);
    send(byToken, "POST", RequestPacing.NONE);
    pass(Duration.ofMillis(1));
    assertThat(seen).containsExactly(200);
    assertThat(pacer.inCooldown(KEY + " GET")).isTrue();
    assertThat(pacer.inCooldown(KEY + " POST")).isFalse();
  }

  @Test
  void aKeyWithoutAPaceFailsTheOneRequestAndNothingIsSent() {
    try (Pacer none = Pacer.builder().scheduler(time).build()) {
      HttpPacing engine = HttpPacing.builder(none).scheduler(time).build();
      Course<Response> course = new Course<>(engine, new Scripted("GET"), RequestPacing.NONE);
      Request request = new Request("GET", "https://" + KEY, name -> List.of());
      Mono<Response> sending = Mono.fromSupplier(() -> script.apply(0).block());
      course.run(course.sendAfter(course.admit(request), sending)).subscribe(seen::add, seen::add);
      pass(Duration.ofSeconds(1));
      assertThat(seen).singleElement().isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void whenAUsersFunctionThrowsTheResponseIsLetGoOf() {
    RuntimeException fault = new IllegalStateException("no profile");
    send(
        b -> b.profiles(key -> {
          throw fault;
        }),
        "GET",
        RequestPacing.NONE);
    pass(Duration.ofSeconds(1));
    assertThat(seen).containsExactly(fault);
    assertThat(bodiesRead).isEqualTo(1);
  }

  @Test
  void aShorterFigureNeverShortensTheCooldown() {
    pacer.pace(KEY, Pace.perSecond(1_000).burst(3));
    script = n -> Mono.just(status(429, "Retry-After", n == 1 ? "60" : "5")).delayElement(Duration.ofMillis(n), time);
    for (int i = 0; i < 3; i++) {
      send(b -> b.attempts(1), "GET", RequestPacing.NONE);
    }
    pass(Duration.ofSeconds(1));
    assertThat(seen).containsExactly(429, 429, 429);
    assertThat(pacer.remaining(KEY)).isGreaterThan(Duration.ofSeconds(58));
  }

  @Test
  void theWaitForASlotAndTheWaitAtTheGateBehindItAreOneBudget() {
    script = n -> Mono.just(n == 4 ? status(429, "Retry-After", "5") : ok());
    for (int i = 0; i < 4; i++) {
      send(b -> b.maxWait(Duration.ofSeconds(7)), "GET", RequestPacing.NONE);
    }
    pass(Duration.ofSeconds(60)); // the fourth waited 3 s for its slot, so it has 4 s left for the 5 s that it is told
    assertThat(sentAt).containsExactly(0L, 1_000L, 2_000L, 3_000L);
    assertThat(seen).containsExactly(200, 200, 200, 429);
  }

  @Test
  void whoWouldWaitTooLongBehindTheGateIsToldAtOnce() {
    pacer.coolDown(KEY, Duration.ofSeconds(10));
    for (int i = 0; i < 5; i++) {
      send(b -> b.maxWait(Duration.ofSeconds(12)), "GET", RequestPacing.NONE);
    }
    pass(Duration.ofMillis(1));
    assertThat(seen).hasSize(2).allSatisfy(e -> assertThat(e).isInstanceOf(RateLimitedException.class));
    pass(Duration.ofSeconds(60));
    assertThat(sentAt).containsExactly(10_000L, 11_000L, 12_000L);
  }

  @Test
  void aRequestThatNeedNotWaitArmsNoTimer() {
    send(b -> b.pacing(false), "GET", RequestPacing.NONE);
    assertThat(seen).containsExactly(200);
    assertThat(time.getScheduledTaskCount()).isZero();
  }

  @Test
  void aFigureBeyondTheBudgetShutsTheGateAlsoWhereTheBodyCouldSayMore() {
    script = n -> Mono.just(status(429, "Retry-After", "1337"));
    send(b -> b.profile(Vendors.DISCORD), "GET", RequestPacing.NONE);
    pass(Duration.ofMillis(1));
    assertThat(seen).containsExactly(429);
    assertThat(pacer.remaining(KEY)).isGreaterThan(Duration.ofSeconds(1_336));
  }

  @ParameterizedTest
  @EnumSource(HttpPacing.OnRefused.class)
  void theFigureInTheBodyOfTheLastRefusalIsHeardToo(HttpPacing.OnRefused onRefused) {
    script = n -> Mono.just(new Response(429, Map.of(), Flux.just("{\"retry_after\":600}")));
    send(b -> b.profile(Vendors.TELEGRAM).attempts(1).onRefused(onRefused), "GET", RequestPacing.NONE);
    pass(Duration.ofMillis(1));
    assertThat(seen).hasSize(1);
    assertThat(pacer.remaining(KEY)).isGreaterThan(Duration.ofSeconds(599));
    pass(Duration.ofSeconds(1));
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(1);
  }

  @Test
  @DisplayName("C105: these tests would see a blocking call on a thread that must not block")
  void aBlockingCallWouldBeSeen() {
    Function<Request, String> blocks =
        r -> {
          try {
            Thread.sleep(1);
          } catch (InterruptedException ended) {
            throw new IllegalStateException(ended);
          }
          return KEY;
        };
    request(b -> b.key(blocks), "GET", RequestPacing.NONE)
        .subscribeOn(Schedulers.parallel())
        .onErrorResume(error -> Mono.fromRunnable(() -> seen.add(error)))
        .block(Duration.ofSeconds(30));
    assertThat(seen).singleElement().isInstanceOf(BlockingOperationError.class);
  }

  @Test
  void norIsItKeptWhenThatIsNoException() {
    AssertionError fault = new AssertionError("no profile");
    send(
        b -> b.profiles(key -> {
          throw fault;
        }),
        "GET",
        RequestPacing.NONE);
    pass(Duration.ofSeconds(1));
    assertThat(seen).containsExactly(fault);
    assertThat(bodiesRead).isEqualTo(1);
  }

  @Test
  @DisplayName("P6: what the head of a refusal says counts also if the caller leaves while its body is read")
  void aRefusalIsHeardThoughTheCallerLeavesWhileItsBodyIsRead() {
    script = n -> Mono.just(new Response(429, Map.of("Retry-After", List.of("20")), Flux.never()));
    Disposable caller = send(b -> b.profile(Vendors.DISCORD), "GET", RequestPacing.NONE);
    pass(Duration.ofMillis(100));
    caller.dispose();
    assertThat(pacer.remaining(KEY)).isEqualTo(Duration.ofSeconds(20));
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(1);
  }

  @Test
  void whatAsksForAnotherRoundIsNotShownToHooks() {
    List<Throwable> shown = new ArrayList<>();
    Hooks.onOperatorError("test", (error, data) -> {
      shown.add(error);
      return new IllegalStateException("a hook's own", error);
    });
    try {
      script = n -> Mono.just(n == 1 ? status(429, "Retry-After", "20") : ok());
      send(b -> b.keys(r -> List.of("a", "b")), "GET", RequestPacing.NONE);
      pass(Duration.ofSeconds(20));
      pacer.reserve("b").subscribe();
      send(b -> b.keys(r -> List.of("a", "b")), "GET", RequestPacing.NONE);
      pass(Duration.ofMillis(500)); // "a" has granted, "b" has not
      pacer.coolDown("a", Duration.ofSeconds(5));
      pass(Duration.ofSeconds(60));
      assertThat(seen).containsExactly(200, 200);
      assertThat(shown).isEmpty();
    } finally {
      Hooks.resetOnOperatorError("test");
    }
  }

  @Test
  void whatABodyFailsWithAfterTheCallerHasLeftIsNotLogged() {
    List<Subscriber<? super String>> reader = new ArrayList<>();
    Publisher<String> body = subscriber -> {
      subscriber.onSubscribe(Operators.emptySubscription());
      reader.add(subscriber);
    };
    script = n -> Mono.just(new Response(429, Map.of("Retry-After", List.of("20")), Flux.from(body)));
    List<Throwable> dropped = new ArrayList<>();
    Hooks.onErrorDropped(dropped::add);
    try {
      send().dispose();
      reader.get(0).onError(new IllegalStateException("released already due to cancellation"));
      assertThat(dropped).isEmpty();
    } finally {
      Hooks.resetOnErrorDropped();
    }
  }
}
