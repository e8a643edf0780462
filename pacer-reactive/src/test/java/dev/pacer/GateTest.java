package dev.pacer;

import static dev.pacer.GateWorld.KEY;
import static dev.pacer.GateWorld.gaps;
import static dev.pacer.GateWorld.seconds;
import static dev.pacer.GateWorld.times;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** P6 and P7: while a gate is shut nothing leaves, and when it opens calls go on one by one. */
class GateTest {

  private final GateWorld world = new GateWorld();

  @Test
  void ofFiveHundredQueuedCallsNoneLeavesBeforeTheGateOpensAndThenTheyComeOneByOne() {
    Pacer pacer = world.pacer(5);
    List<GateCall> calls = world.calls(pacer, 500);
    world.pass(1);
    assertThat(times(calls)).hasSize(6);
    pacer.coolDown(KEY, seconds(120));
    long shutAt = world.now();
    world.pass(seconds(120).minusNanos(1));
    assertThat(times(calls)).as("nobody leaves inside the cooldown").hasSize(6);
    world.pass(Duration.ofNanos(1));
    assertThat(times(calls)).as("one leaves as it opens").hasSize(7);
    world.pass(300);
    List<Long> after = times(calls).stream().filter(at -> at > shutAt).toList();
    assertThat(after).hasSize(494);
    assertThat(after.get(0)).isEqualTo(shutAt + seconds(120).toNanos());
    assertThat(gaps(after)).containsOnly(Duration.ofMillis(200));
  }

  @Test
  @DisplayName("with the default widening they come at half the pace")
  void theyComeAtTheWidenedInterval() {
    Pacer pacer = world.builder().backoff(GateWorld.PLAIN).defaultPace(Pace.perSecond(5)).build();
    List<GateCall> calls = world.calls(pacer, 500);
    world.pass(1);
    pacer.coolDown(KEY, seconds(60));
    world.pass(600);
    List<Long> after = times(calls).stream().skip(6).toList();
    assertThat(gaps(after)).containsOnly(Duration.ofMillis(400));
    assertThat(after).hasSize(494);
  }

  @Test
  @DisplayName("C056: 200 waiters, 10/s, Retry-After 10: the first at 10.0 s, the last at 29.9 s or later")
  void noHerdAtTheOpening() {
    Pacer pacer = world.pacer(10);
    pacer.coolDown(KEY, seconds(10));
    long start = world.now();
    List<GateCall> calls = world.calls(pacer, 200);
    world.pass(60);
    List<Long> times = times(calls);
    assertThat(times).hasSize(200);
    assertThat(times.get(0) - start).isEqualTo(seconds(10).toNanos());
    assertThat(times.get(199) - start).isEqualTo(seconds(29.9).toNanos());
    assertThat(gaps(times)).allMatch(gap -> gap.compareTo(Duration.ofMillis(100)) >= 0);
  }

  @Test
  void aBurstDoesNotSlipOutBeforeTheGateOpensAndIsOneBurstAfterwards() {
    Pacer pacer = world.builder().defaultPace(Pace.perSecond(20).burst(10)).build();
    pacer.coolDown(KEY, seconds(5));
    long opens = world.now() + seconds(5).toNanos();
    List<GateCall> calls = world.calls(pacer, 100);
    world.pass(60);
    List<Long> times = times(calls);
    assertThat(times).hasSize(100).allMatch(at -> at >= opens);
    assertThat(times.stream().filter(at -> at == opens)).hasSizeLessThanOrEqualTo(10);
    assertThat(LongStream.range(0, 80).map(i -> times.get((int) i + 20) - times.get((int) i)))
        .as("at most 20 in any second")
        .allMatch(span -> span >= seconds(1).toNanos());
  }

  @Test
  void slotsInHandInsideTheCooldownAreDroppedAndTakenAnew() {
    Pacer pacer = world.pacer(1_000);
    List<GateCall> calls = world.calls(pacer, 1_000);
    world.pass(0.010);
    assertThat(times(calls)).hasSize(11);
    pacer.coolDown(KEY, seconds(1));
    long opens = world.now() + seconds(1).toNanos();
    assertThat(world.heard.lost.get()).as("a quantum, less what was used").isBetween(50L, 100L);
    world.pass(10);
    List<Long> after = times(calls).stream().skip(11).toList();
    assertThat(after).hasSize(989);
    assertThat(after.get(0)).isEqualTo(opens);
    assertThat(gaps(after)).allMatch(gap -> gap.compareTo(Duration.ofMillis(1)) >= 0);
  }

  @Test
  @DisplayName("P6: a call that has its slot but is not handed over yet does not go")
  void aSlotGivenInTheLastMomentIsNotUsed() {
    GateHands hands = new GateHands(world.time);
    Pacer pacer = world.builder().scheduler(hands).defaultPace(Pace.perSecond(1)).build();
    List<GateCall> calls = world.calls(pacer, 3);
    hands.hold();
    world.pass(1);
    pacer.coolDown(KEY, seconds(30));
    hands.letGo();
    assertThat(times(calls)).hasSize(1);
    assertThat(calls.get(1).waits()).isTrue();
    world.pass(30);
    assertThat(calls.get(1).passed()).as("it comes first after the gate").isTrue();
    assertThat(calls.get(2).waits()).isTrue();
    world.pass(1);
    assertThat(calls.get(2).passed()).isTrue();
    assertThat(world.heard.granted.get()).as("every slot is accounted for").isEqualTo(3 + world.heard.lost.get());
  }

  @Test
  void callsThatComeBackFromTheLastMomentKeepTheirOrder() {
    GateHands hands = new GateHands(world.time);
    Pacer pacer = world.builder().scheduler(hands).defaultPace(Pace.perSecond(20)).build();
    List<GateCall> calls = world.calls(pacer, 30);
    hands.hold();
    world.pass(0.5);
    pacer.coolDown(KEY, seconds(5));
    hands.letGo();
    assertThat(times(calls)).hasSize(1);
    world.pass(60);
    assertThat(calls).allMatch(GateCall::passed);
    assertThat(order(calls)).isSorted();
  }

  @Test
  void aCallThatComesBackAfterThePacerWasClosedIsToldSo() {
    GateHands hands = new GateHands(world.time);
    Pacer pacer = world.builder().scheduler(hands).defaultPace(Pace.perSecond(1)).build();
    List<GateCall> calls = world.calls(pacer, 2);
    hands.hold();
    world.pass(1);
    pacer.coolDown(KEY, seconds(30));
    pacer.close();
    hands.letGo();
    world.pass(60);
    assertThat(calls.get(1).error).isInstanceOf(PacerClosedException.class);
    assertThat(pacer.whenClosed().blockOptional(Duration.ofSeconds(1))).isEmpty();
    assertThat(pacer.size()).isZero();
  }

  @Test
  void aSlotThatIsReturnedDuringTheCooldownIsDropped() {
    GateHands hands = new GateHands(world.time);
    Backoff brief = GateWorld.LEVEL.least(Duration.ofMillis(1));
    Pacer pacer = world.builder().scheduler(hands).backoff(brief).defaultPace(Pace.perSecond(20)).build();
    List<GateCall> calls = world.calls(pacer, 3);
    hands.hold();
    world.pass(0.05);
    pacer.coolDown(KEY, Duration.ofMillis(60));
    calls.get(1).cancel();
    hands.letGo();
    world.pass(0.06);
    assertThat(times(calls)).as("the third one's slot is that of 150 ms").hasSize(1);
    world.pass(0.04);
    assertThat(times(calls)).hasSize(2);
    assertThat(world.heard.lost.get()).as("the returned one, and the one at 100 ms").isEqualTo(2);
  }

  /** The calls' numbers, in the order in which they were let through. */
  private static List<Integer> order(List<GateCall> calls) {
    List<Integer> numbers = new ArrayList<>(IntStream.range(0, calls.size()).boxed().toList());
    numbers.sort((a, b) -> Long.compare(calls.get(a).at, calls.get(b).at));
    return numbers;
  }

  @Test
  void anUrgentCallStillComesFirstAfterTheGate() {
    Pacer pacer = world.pacer(1);
    pacer.coolDown(KEY, seconds(5));
    GateCall bulk = world.call(pacer, Call.ONE.priority(Priority.BULK));
    GateCall normal = world.call(pacer);
    GateCall urgent = world.call(pacer, Call.ONE.priority(Priority.URGENT));
    world.pass(20);
    assertThat(List.of(urgent.at, normal.at, bulk.at)).isSorted();
  }

  @Test
  void aLongerStopKeepsItShutAndAShorterOneChangesNothing() {
    Pacer pacer = world.pacer(1);
    pacer.coolDown(KEY, seconds(60));
    GateCall call = world.call(pacer);
    pacer.coolDown(KEY, seconds(5));
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(60));
    world.pass(30);
    pacer.coolDown(KEY, seconds(60));
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(60));
    world.pass(59.999);
    assertThat(call.waits()).isTrue();
    world.pass(0.001);
    assertThat(call.passed()).isTrue();
    assertThat(pacer.inCooldown(KEY)).isFalse();
  }

  @Test
  void anotherPacerOfTheSameCursorRespectsTheGateFromItsFirstReservationOn() {
    world.pacer(10).coolDown(KEY, seconds(20));
    long opens = world.now() + seconds(20).toNanos();
    Pacer other = world.pacer(10);
    assertThat(other.inCooldown(KEY)).as("it has not asked yet").isFalse();
    List<GateCall> calls = world.calls(other, 50);
    assertThat(other.remaining(KEY)).isEqualTo(seconds(20));
    world.pass(60);
    assertThat(times(calls)).hasSize(50).allMatch(at -> at >= opens);
    assertThat(gaps(times(calls))).containsOnly(Duration.ofMillis(100));
  }

  @Test
  void twoPacersComeBackInOneFile() {
    Pacer one = world.pacer(10);
    Pacer two = world.pacer(10);
    one.coolDown(KEY, seconds(20));
    List<GateCall> calls = new ArrayList<>(world.calls(one, 50));
    calls.addAll(world.calls(two, 50));
    world.pass(60);
    assertThat(times(calls)).hasSize(100);
    assertThat(gaps(times(calls))).containsOnly(Duration.ofMillis(100));
  }

  @Test
  void sendingSaysNoWhileTheGateIsShut() {
    Pacer pacer = world.pacer(10);
    assertThat(pacer.sending(KEY)).isNotNull();
    pacer.coolDown(KEY, seconds(20));
    assertThat(pacer.sending(KEY)).isNull();
    world.pass(20);
    assertThat(pacer.sending(KEY)).isEqualTo(new Sent(KEY, 1));
  }

  @Test
  void peekAddsTheQueueToTheGateThoughOnlyThisProcessKnowsThatItIsShut() {
    ScriptedCursor unaware = new ScriptedCursor(); // says of every key that it is idle and open
    Pacer pacer = world.builder().cursor(unaware).defaultPace(Pace.perSecond(10)).build();
    assertThat(pacer.peek(KEY).block()).isZero();
    pacer.coolDown(KEY, seconds(20));
    assertThat(pacer.peek(KEY).block()).isEqualTo(seconds(20));
    world.calls(pacer, 3);
    world.pass(5);
    assertThat(pacer.peek(KEY).block()).isEqualTo(seconds(15.3));
    assertThat(unaware.claims).as("it moves nothing").isEmpty();
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(15));
  }

  @Test
  void anotherKeyIsNotConcerned() {
    Pacer pacer = world.pacer(10);
    pacer.coolDown("other.example.com", seconds(20));
    assertThat(world.call(pacer).passed()).isTrue();
    assertThat(pacer.inCooldown(KEY)).isFalse();
  }

  @Test
  @DisplayName("P6: nor does one whose lane has gone, because its thread was busy for long")
  void aSlotGivenInTheLastMomentIsNotUsedAlsoWhenItsLaneHasGone() {
    GateHands hands = new GateHands(world.time);
    Pacer pacer = world.builder().scheduler(hands).defaultPace(Pace.perSecond(10)).build();
    List<GateCall> calls = world.calls(pacer, 2);
    hands.hold();
    world.pass(60);
    assertThat(pacer.size()).as("no lane").isZero();
    pacer.coolDown(KEY, seconds(30));
    hands.letGo();
    assertThat(calls.get(1).waits()).isTrue();
    world.pass(30);
    assertThat(calls.get(1).passed()).isTrue();
  }
}
