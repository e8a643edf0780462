package dev.pacer;

import static dev.pacer.GateWorld.KEY;
import static dev.pacer.GateWorld.gaps;
import static dev.pacer.GateWorld.seconds;
import static dev.pacer.GateWorld.times;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rate pressure widens the interval, and a run of good answers narrows it again. */
class GateWideningTest {

  private final GateWorld world = new GateWorld();

  private Pacer pacer(Backoff backoff, Pace pace) {
    return world.builder().backoff(backoff).defaultPace(pace).build();
  }

  private static Backoff widening(int widest, int cleanRun, boolean shared) {
    return GateWorld.PLAIN.widening(widest, cleanRun, shared);
  }

  /** So many cooldowns of a second. */
  private void press(Pacer pacer, int n) {
    for (int i = 0; i < n; i++) {
      pacer.coolDown(KEY, seconds(1));
      world.pass(1);
    }
  }

  /** The interval at which calls come at the moment. */
  private Duration interval(Pacer pacer) {
    List<GateCall> calls = world.calls(pacer, 6);
    world.pass(60);
    List<Duration> gaps = gaps(times(calls));
    assertThat(gaps).hasSize(5);
    assertThat(gaps.subList(1, 5)).containsOnly(gaps.get(1));
    return gaps.get(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void eachCooldownDoublesTheIntervalUpToTheCapAndItShows(boolean shared) {
    Pacer pacer = pacer(widening(3, 20, shared), Pace.perSecond(10));
    assertThat(interval(pacer)).isEqualTo(Duration.ofMillis(100));
    for (int n = 1; n <= 5; n++) {
      press(pacer, 1);
      assertThat(pacer.gate(KEY).widening()).isEqualTo(Math.min(n, 3));
      assertThat(interval(pacer)).isEqualTo(Duration.ofMillis(100L << Math.min(n, 3)));
    }
  }

  @Test
  void thatItIsWiderAndThatItIsAsBeforeAreALineEach() {
    try (Logged logged = new Logged(Level.DEBUG)) {
      Pacer pacer = pacer(widening(3, /* cleanRun= */ 1, /* shared= */ true), Pace.perSecond(10));
      press(pacer, 2);
      assertThat(pacer.gate(KEY).widening()).isEqualTo(2);
      for (int i = 0; i < 4; i++) {
        pacer.succeeded(sent(pacer));
        world.pass(1);
      }
      assertThat(pacer.gate(KEY).widening()).isZero();
      assertThat(logged.of(Level.DEBUG).stream().filter(line -> line.contains(" goes ")))
          .extracting(line -> line.replaceAll("^\"[^\"]*\" ", ""))
          .containsExactly(
              "goes slower: its interval is up to 2 times as long",
              "goes slower: its interval is up to 4 times as long",
              "goes slower: its interval is up to 2 times as long",
              "goes at its pace again");
    }
  }

  @Test
  void theFleetSharesItThroughTheRow() {
    press(pacer(widening(2, 20, /* shared= */ true), Pace.perSecond(10)), 1);
    Pacer other = pacer(widening(2, 20, /* shared= */ true), Pace.perSecond(10));
    assertThat(interval(other)).isEqualTo(Duration.ofMillis(200));
    assertThat(other.gate(KEY).widening()).isEqualTo(1);
  }

  @Test
  void perProcessItConcernsNobodyElse() {
    Pacer pressed = pacer(widening(2, 20, /* shared= */ false), Pace.perSecond(10));
    press(pressed, 1);
    Pacer other = pacer(widening(2, 20, /* shared= */ false), Pace.perSecond(10));
    assertThat(interval(other)).isEqualTo(Duration.ofMillis(100));
    assertThat(other.gate(KEY).widening()).isZero();
    assertThat(interval(pressed)).isEqualTo(Duration.ofMillis(200));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void twentyParallelAnswersWidenItOnce(boolean shared) {
    Pacer pacer = pacer(widening(4, 20, shared), Pace.perSecond(1_000));
    Sent sent = sent(pacer);
    for (int i = 0; i < 20; i++) {
      pacer.coolDown(sent, null);
    }
    assertThat(pacer.gate(KEY).widening()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRunOfGoodAnswersHalvesItAgain(boolean shared) {
    Pacer pacer = pacer(widening(2, 20, shared), Pace.perSecond(10));
    press(pacer, 2);
    for (int n = 1; n <= 45; n++) {
      pacer.succeeded(sent(pacer));
      assertThat(pacer.gate(KEY).widening()).as("after %d", n).isEqualTo(n < 20 ? 2 : n < 40 ? 1 : 0);
    }
    assertThat(interval(pacer)).isEqualTo(Duration.ofMillis(100));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void timeAloneDoesNotHalveItWhileCallsGo(boolean shared) {
    Pacer pacer = pacer(widening(2, 20, shared), Pace.perSecond(10));
    press(pacer, 1);
    pacer.succeeded(sent(pacer));
    for (int minute = 0; minute < 30; minute++) {
      sent(pacer);
      world.pass(60);
    }
    assertThat(interval(pacer)).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void aCooldownBeginsTheRunAnew() {
    Pacer pacer = pacer(widening(2, 20, /* shared= */ true), Pace.perSecond(10));
    press(pacer, 1);
    succeed(pacer, 19);
    press(pacer, 1);
    succeed(pacer, 19);
    assertThat(pacer.gate(KEY).widening()).isEqualTo(2);
    succeed(pacer, 1);
    assertThat(pacer.gate(KEY).widening()).isEqualTo(1);
  }

  @Test
  void soDoesTheCooldownThatAnotherProcessHeardOf() {
    Pacer pacer = pacer(widening(2, 20, /* shared= */ true), Pace.perSecond(10));
    press(pacer, 1);
    succeed(pacer, 19);
    press(pacer(widening(2, 20, /* shared= */ true), Pace.perSecond(10)), 1);
    succeed(pacer, 19);
    assertThat(pacer.gate(KEY).widening()).isEqualTo(2);
  }

  @Test
  @DisplayName("paces slower than about one an hour are left as they are")
  void slowPacesAreLeftAlone() {
    Pacer pacer = world.builder().backoff(widening(6, 20, true)).defaultPace(Pace.of(1, Duration.ofHours(2)))
        .maxWait(Duration.ofDays(1)).build();
    press(pacer, 3);
    List<GateCall> calls = world.calls(pacer, 3);
    world.pass(Duration.ofHours(5));
    assertThat(gaps(times(calls))).containsOnly(Duration.ofHours(2));
  }

  @Test
  void aBurstIsWidenedToo() {
    Pacer pacer = pacer(widening(2, 20, /* shared= */ true), Pace.perSecond(20).burst(10));
    press(pacer, 1);
    List<GateCall> calls = world.calls(pacer, 60);
    world.pass(60);
    List<Long> times = times(calls);
    for (int i = 20; i < times.size(); i++) {
      assertThat(times.get(i) - times.get(i - 20)).isGreaterThanOrEqualTo(seconds(2).toNanos());
    }
  }

  @Test
  @DisplayName("P3: after a stop of the process, calls come no closer together than the widened slots were")
  void lateSlotsStayAsFarApartAsTheyWere() {
    GateHands hands = new GateHands(world.time);
    Pacer pacer =
        world.builder().scheduler(hands).backoff(widening(2, 20, true)).defaultPace(Pace.perSecond(100)).build();
    press(pacer, 2); // 40 ms
    List<GateCall> calls = world.calls(pacer, 20);
    for (int i = 0; i < 5; i++) {
      world.pass(0.030);
      hands.stop();
      world.pass(0.085);
      hands.letGo();
    }
    world.pass(5);
    assertThat(times(calls)).hasSize(20);
    assertThat(gaps(times(calls))).allMatch(gap -> gap.compareTo(Duration.ofMillis(40)) >= 0);
  }

  @Test
  void aLaneHoldsNoMoreThanAQuantumOfWidenedSlots() {
    Pacer pacer = pacer(widening(2, 20, /* shared= */ true), Pace.perSecond(100));
    press(pacer, 2);
    world.calls(pacer, 100);
    world.pass(0.001);
    assertThat(world.heard.granted.get() - world.heard.released.get()).as("100 ms, 40 ms apart").isLessThanOrEqualTo(3);
  }

  private Sent sent(Pacer pacer) {
    GateCall call = world.call(pacer);
    world.pass(1);
    assertThat(call.passed()).isTrue();
    return pacer.sending(KEY);
  }

  private void succeed(Pacer pacer, int n) {
    for (int i = 0; i < n; i++) {
      pacer.succeeded(sent(pacer));
    }
  }

  @Test
  @DisplayName("P1: a burst that is spent is not had again because the pace was widened")
  void wideningGivesNoBurstAgain() {
    Pacer pacer =
        world.builder().defaultPace(Pace.of(11, Duration.ofSeconds(60)).burst(6)).backoff(GateWorld.PLAIN).build();
    List<GateCall> calls = world.calls(pacer, 7);
    world.pass(0.01);
    assertThat(calls.stream().filter(GateCall::passed)).hasSize(6);
    pacer.coolDown(GateWorld.KEY, Duration.ofSeconds(1));
    world.pass(9.9);
    assertThat(calls.get(6).passed()).isFalse();
    world.pass(60);
    assertThat(calls.get(6).passed()).isTrue();
  }

  @Test
  void aCallThatCostsTheWholeBurstIsServedUnderPressureToo() {
    Pacer pacer =
        world.builder().defaultPace(Pace.perSecond(11).burst(6))
            .backoff(GateWorld.PLAIN.widening(2, 20, /* shared= */ false)).build();
    world.call(pacer);
    world.pass(1);
    pacer.coolDown(GateWorld.KEY, Duration.ofSeconds(1));
    GateCall whole = world.call(pacer, Call.of(6));
    world.pass(10);
    assertThat(whole.passed()).isTrue();
  }
}
