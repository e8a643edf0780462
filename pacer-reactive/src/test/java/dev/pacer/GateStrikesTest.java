package dev.pacer;

import static dev.pacer.GateVendor.BARE_429;
import static dev.pacer.GateVendor.GOOD;
import static dev.pacer.GateWorld.KEY;
import static dev.pacer.GateWorld.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Which answers are a strike, and what becomes of strikes. */
class GateStrikesTest {

  private final GateWorld world = new GateWorld();
  private final long start = world.now();

  @Test
  @DisplayName("C050: always 429 without a figure, a caller a second: requests at 0, 30, 90, 210 … 5490 s")
  void aVendorThatAlwaysSaysNoIsAskedEverLessOften() {
    GateVendor vendor = new GateVendor(Duration.ZERO, n -> BARE_429);
    Pacer pacer = world.pacer(10);
    List<GateCall> refused = new ArrayList<>();
    for (int second = 0; second < 7_200; second++) {
      long now = world.now();
      world
          .send(pacer, vendor)
          .doOnError(RateLimitedException.class, e -> assertThat(world.now()).isGreaterThanOrEqualTo(now))
          .subscribe(answer -> {}, error -> refused.add(null));
      world.pass(1);
    }
    assertThat(vendor.since(start)).containsExactly(0.0, 30.0, 90.0, 210.0, 450.0, 930.0, 1_890.0, 3_690.0, 5_490.0);
    assertThat(refused).as("who would have to wait more than 300 s").hasSizeGreaterThan(4_000);
  }

  @Test
  @DisplayName("C051: 20 in flight, all answered 429 within a second: one strike, 30 s; after re-entry one more, 60 s")
  void parallelAnswersAreOneStrike() {
    Pacer pacer = world.pacer(1_000);
    List<Sent> sent = sendAll(pacer, 20);
    for (Sent call : sent) {
      world.pass(0.05);
      pacer.coolDown(call, null);
    }
    assertThat(world.row().strikes()).isEqualTo(1);
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(1);
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(30 - 0.95));
    assertThat(world.heard.freshOnes()).isEqualTo(1);
    world.pass(30);
    pacer.coolDown(sendAll(pacer, 1).get(0), null);
    assertThat(world.row().strikes()).isEqualTo(2);
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(60));
  }

  @Test
  void aLateAnswerOfBeforeIsNoStrikeEvenAfterTheGateHasOpened() {
    Pacer pacer = world.pacer(1_000);
    List<Sent> sent = sendAll(pacer, 3);
    pacer.coolDown(sent.get(0), null);
    world.pass(31);
    pacer.coolDown(sent.get(1), null);
    assertThat(pacer.inCooldown(KEY)).isFalse();
    assertThat(world.row().strikes()).isEqualTo(1);
    pacer.coolDown(sent.get(2), seconds(10));
    assertThat(pacer.remaining(KEY)).as("but a figure counts in full").isEqualTo(seconds(10));
    assertThat(world.row().strikes()).isEqualTo(1);
  }

  @Test
  void whoOnlyNamesTheKeyCountsOncePerCooldownToo() {
    Pacer pacer = world.pacer(10);
    for (int i = 0; i < 20; i++) {
      pacer.coolDown(KEY, null);
      world.pass(1);
    }
    assertThat(world.row().strikes()).isEqualTo(1);
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(10));
  }

  @Test
  @DisplayName("C054: five strikes, then a success, then 429: 30 s")
  void aSuccessClearsTheStrikes() {
    Pacer pacer = world.pacer(10);
    strike(pacer, 5);
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(480));
    world.pass(480);
    pacer.succeeded(sendAll(pacer, 1).get(0));
    assertThat(pacer.gate(KEY).strikes()).isZero();
    world.pass(1);
    pacer.coolDown(sendAll(pacer, 1).get(0), null);
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(30));
  }

  @Test
  @DisplayName("C054: five strikes, then 24 h without any call, then 429: 30 s")
  void timeClearsTheStrikes() {
    Pacer pacer = world.pacer(10);
    strike(pacer, 5);
    world.pass(86_400);
    pacer.coolDown(sendAll(pacer, 1).get(0), null);
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(30));
  }

  @Test
  void aSuccessOfACallOfBeforeClearsNothing() {
    Pacer pacer = world.pacer(1_000);
    List<Sent> sent = sendAll(pacer, 5);
    pacer.coolDown(sent.get(0), null);
    pacer.succeeded(sent.get(1));
    assertThat(world.row().strikes()).isEqualTo(1);
    world.pass(40);
    pacer.succeeded(sent.get(2));
    assertThat(world.row().strikes()).isEqualTo(1);
  }

  @Test
  void aSuccessWhileTheGateIsShutIsOneOfBeforeWhoeverItIs() {
    Pacer pacer = world.pacer(10);
    pacer.coolDown(KEY, null);
    pacer.succeeded(KEY);
    assertThat(world.row().strikes()).isEqualTo(1);
    world.pass(30);
    pacer.succeeded(KEY);
    assertThat(world.row().strikes()).isZero();
  }

  @Test
  void aGateThatIsShutThoughNobodyMadeAMistakeHasNoStrikeAndStopsTheFleetAllTheSame() {
    Pacer pacer = world.builder().backoff(GateWorld.PLAIN).defaultPace(Pace.perSecond(10)).build();
    Pacer other = world.pacer(10);
    pacer.shut(KEY, seconds(20));
    assertThat(pacer.gate(KEY)).isEqualTo(new GateState(seconds(20), 0, 0, seconds(20)));
    assertThat(pacer.sending(KEY)).isNull();
    assertThat(world.heard.freshOnes()).isEqualTo(1);
    GateCall call = world.call(other);
    pacer.shut(KEY, seconds(5));
    assertThat(pacer.remaining(KEY)).as("never shortened").isEqualTo(seconds(20));
    world.pass(20);
    assertThat(call.waited).isEqualTo(seconds(20));
    world.pass(1);
    pacer.coolDown(sendAll(pacer, 1).get(0), null);
    assertThat(pacer.remaining(KEY)).as("the first strike").isEqualTo(seconds(30));
    assertThat(world.row().strikes()).isEqualTo(1);
  }

  @Test
  void shutTwiceOrWithinACooldownItKeepsTheStrikesThereAre() {
    Pacer pacer = world.pacer(10);
    strike(pacer, 2);
    for (int i = 0; i < 3; i++) {
      pacer.shut(KEY, seconds(100));
      world.pass(50);
    }
    assertThat(world.row().strikes()).isEqualTo(2);
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(50));
    world.pass(50);
    pacer.shut(KEY, Duration.ZERO);
    assertThat(pacer.remaining(KEY)).as("as a vendor's zero").isEqualTo(GateWorld.PLAIN.least());
  }

  @Test
  void twoPacersThatHearTheSameAreOneStrike() {
    Pacer one = world.pacer(1_000);
    Pacer two = world.pacer(1_000);
    Sent first = sendAll(one, 1).get(0);
    Sent second = sendAll(two, 1).get(0);
    one.coolDown(first, null);
    two.coolDown(second, null);
    assertThat(world.row().strikes()).isEqualTo(1);
    assertThat(two.remaining(KEY)).isEqualTo(seconds(30));
  }

  @Test
  @DisplayName("C057: still 429 at the opening, 50/s, answers after 500 ms, 500 waiters: 25 requests, and one strike more")
  void theSecondTryIsBounded() {
    GateVendor vendor = new GateVendor(Duration.ofMillis(500), n -> BARE_429);
    Pacer pacer = world.pacer(50);
    pacer.coolDown(KEY, null);
    for (int i = 0; i < 500; i++) {
      world.send(pacer, vendor).subscribe(answer -> {}, error -> {});
    }
    world.pass(60);
    assertThat(vendor.arrivals).hasSizeBetween(25, 26);
    assertThat(world.row().strikes()).isEqualTo(2);
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(30.5));
  }

  @Test
  @DisplayName("a 429 longer than the cap recovers")
  void aSustained429Recovers() {
    long good = start + seconds(9_000).toNanos();
    GateVendor vendor = new GateVendor(Duration.ofMillis(50), n -> world.now() < good ? BARE_429 : GOOD);
    Pacer pacer = world.pacer(1);
    long ok = 0;
    for (int minute = 0; minute < 400; minute++) {
      world.send(pacer, vendor).subscribe(answer -> {}, error -> {});
      world.pass(60);
    }
    List<Double> arrivals = vendor.since(start);
    ok = arrivals.stream().filter(at -> at >= 9_000).count();
    assertThat(arrivals.stream().filter(at -> at < 9_000)).hasSizeLessThanOrEqualTo(11);
    assertThat(ok).as("a call a minute from 10,890 s on at the latest").isGreaterThan(210);
    assertThat(pacer.gate(KEY)).isEqualTo(new GateState(Duration.ZERO, 0, 0, null));
  }

  @Test
  @DisplayName("C111: 500 URLs, concurrency 16, 5/s, 429 Retry-After 120 from request 50 on for 120 s: all 500 good, at most 16 extra")
  void aFloodOf429sFromAModelHost() {
    long[] limitedUntil = {0};
    GateVendor vendor =
        new GateVendor(
            Duration.ofMillis(300),
            n -> {
              if (n == 50) {
                limitedUntil[0] = world.now() + seconds(120).toNanos();
              }
              return world.now() < limitedUntil[0] ? GateVendor.Answer.stop(seconds(120)) : GOOD;
            });
    Pacer pacer = world.pacer(5);
    List<GateVendor.Answer> answers = new ArrayList<>();
    Flux.range(0, 500)
        .flatMap(url -> again(pacer, vendor, 3), 16)
        .subscribe(answers::add, error -> answers.add(BARE_429));
    world.pass(400);
    assertThat(answers).hasSize(500).containsOnly(GOOD);
    long shutAt = vendor.arrivals.get(49);
    assertThat(vendor.arrivals.stream().filter(at -> at > shutAt && at < limitedUntil[0])).hasSizeLessThanOrEqualTo(16);
    assertThat(vendor.arrivals.size() - 500).as("re-sent").isLessThanOrEqualTo(16);
    assertThat((vendor.arrivals.get(vendor.arrivals.size() - 1) - start) / 1e9).isBetween(218.0, 226.0);
  }

  private Mono<GateVendor.Answer> again(Pacer pacer, GateVendor vendor, int retries) {
    return world
        .send(pacer, vendor)
        .flatMap(answer -> answer.stop() && retries > 0 ? again(pacer, vendor, retries - 1) : Mono.just(answer));
  }

  @Test
  @DisplayName("C048: Retry-After 0 for 30 s, 5/s, 20 callers with 3 retries: no hot loop")
  void aVendorsZeroIsNoHotLoop() {
    GateVendor vendor = new GateVendor(Duration.ofMillis(20), n -> GateVendor.Answer.stop(Duration.ZERO));
    Pacer pacer = world.pacer(5);
    List<GateVendor.Answer> answers = new ArrayList<>();
    Flux.range(0, 20).flatMap(i -> again(pacer, vendor, 3), 20).subscribe(answers::add);
    world.pass(30);
    assertThat(vendor.arrivals.size()).isLessThanOrEqualTo(30);
    world.pass(100);
    assertThat(answers).hasSize(20).allMatch(GateVendor.Answer::stop);
    assertThat(vendor.arrivals).hasSize(80);
  }

  /** So many calls that were let through and sent. */
  private List<Sent> sendAll(Pacer pacer, int n) {
    List<Sent> sent = new ArrayList<>();
    Flux.range(0, n).flatMap(i -> pacer.reserve(KEY), n).subscribe(waited -> sent.add(pacer.sending(KEY)));
    world.pass(0.001 * n);
    assertThat(sent).hasSize(n).doesNotContainNull();
    return sent;
  }

  /** So many cooldowns in a row, each after the other's end; the last one has just begun. */
  private void strike(Pacer pacer, int n) {
    for (int i = 0; i < n; i++) {
      world.pass(pacer.remaining(KEY));
      pacer.coolDown(KEY, null);
    }
  }
}
