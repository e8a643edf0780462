package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** P9: cancelling is free. */
class CancelTest {

  private static final long SECOND = 1_000_000_000;

  private final World world = new World();

  @DisplayName("C027: 99 of 100 leave: the next waits for one slot, not for 100, and 99 are counted")
  @Test
  void abandonedCallsKeepNoSlots() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    List<Caller> calls = world.calls(pacer, 100);
    world.pass(World.seconds(0.5));
    calls.subList(1, 100).forEach(Caller::cancel);
    Caller next = world.call(pacer);
    world.pass(Duration.ofSeconds(2));
    assertThat(next.waited).isEqualTo(World.seconds(0.5));
    assertThat(world.heard.cancelled).hasValue(99);
    assertThat(world.heard.released).hasValue(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 9})
  void theSlotOfACallThatLeavesGoesToTheNext(int which) {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    world.call(pacer);
    List<Caller> calls = new ArrayList<>(world.calls(pacer, 10));
    world.pass(World.seconds(0.5));
    calls.remove(which).cancel();
    world.pass(Duration.ofSeconds(20));
    assertThat(World.times(calls)).containsExactly(
        Stream.iterate(SECOND, t -> t + SECOND).limit(9).toArray(Long[]::new));
  }

  @Test
  void whenAllLeaveTheirSlotsGoBack() {
    Pacer pacer = world.pacer(Pace.perSecond(1_000));
    world.call(pacer);
    List<Caller> calls = world.calls(pacer, 1_000);
    long held = world.ahead() / 1_000_000 - 1;
    assertThat(held).as("up to a quantum").isBetween(1L, 100L);
    calls.forEach(Caller::cancel);
    assertThat(world.ahead()).as("as if they had never come").isEqualTo(1_000_000);
    assertThat(world.heard.givenBack).hasValue(held);
    assertThat(world.heard.cancelled).hasValue(1_000);
    world.pass(Duration.ofSeconds(1));
    assertThat(pacer.size()).isZero();
    assertThat(world.cursor.size()).isZero();
  }

  @DisplayName("what is given back is the tail of the grant, by cursor and sequence number, and once")
  @Test
  void theRefundIsExact() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(100)).build();
    List<Caller> calls = world.calls(pacer, 5);
    cursor.grant(1, 0, 7_000, 41); // the first claim is for the first call alone
    cursor.grant(4, 10_000_000, 10_007_000, 42);
    assertThat(calls.get(0).passed()).isTrue();
    calls.get(2).cancel();
    assertThat(cursor.refunds).containsExactly(new Cursor.Refund(World.KEY, 50_007_000, 42, 40_007_000));
    calls.get(4).cancel();
    assertThat(cursor.refunds).as("one statement at a time").hasSize(1);
    cursor.accept(true);
    assertThat(cursor.refunds).last().isEqualTo(new Cursor.Refund(World.KEY, 40_007_000, 43, 30_007_000));
    cursor.accept(true);
    world.pass(World.seconds(1));
    assertThat(cursor.refunds).hasSize(2);
    assertThat(World.times(calls)).containsExactly(0L, 10_000_000L, 20_000_000L);
    assertThat(world.heard.givenBack).hasValue(2);
    assertThat(world.heard.lost).hasValue(0);
  }

  @Test
  void slotsThatOthersHaveBookedBehindAreKeptForWhoComesNext() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(100)).build();
    List<Caller> calls = world.calls(pacer, 2);
    cursor.grant(1, 0, 0, 1);
    cursor.grant(1, 10_000_000, 10_000_000, 2);
    calls.get(1).cancel();
    cursor.accept(false);
    Caller next = world.call(pacer);
    world.pass(World.seconds(0.01));
    assertThat(next.at).isEqualTo(10_000_000);
    assertThat(cursor.claims).hasSize(2);
    assertThat(cursor.refunds).as("no use in asking again").hasSize(1);
  }

  @Test
  void slotsWhoseRefundFailedAreNobodys() {
    ScriptedCursor cursor = new ScriptedCursor().accepts(refund -> Mono.error(new CursorException("lost", null)));
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(100)).build();
    List<Caller> calls = world.calls(pacer, 2);
    cursor.grant(1, 0, 0, 1);
    cursor.grant(1, 10_000_000, 10_000_000, 2);
    calls.get(1).cancel();
    assertThat(world.heard.lost).hasValue(1);
    Caller next = world.call(pacer);
    world.pass(World.seconds(0.01));
    assertThat(next.waits()).as("perhaps somebody else has that slot").isTrue();
    assertThat(cursor.openClaims()).isEqualTo(1);
  }

  @Test
  void aCallMayLeaveWhileItsClaimIsInFlight() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(100)).build();
    Caller call = world.call(pacer);
    call.cancel();
    assertThat(world.heard.cancelled).hasValue(1);
    cursor.grant(1, 0, 500, 3);
    assertThat(cursor.refunds).containsExactly(new Cursor.Refund(World.KEY, 10_000_500, 3, 500));
    cursor.accept(true);
    world.pass(World.seconds(1));
    assertThat(call.signals).isZero();
    assertThat(pacer.size()).isZero();
  }

  @DisplayName("a call that leaves after its slot fell due, but before it was handed over, leaves the slot to the next")
  @Test
  void aCallMayLeaveAtTheLastMoment() {
    StubbornScheduler clock = new StubbornScheduler(world.time);
    Pacer pacer = world.builder().cursor(new LocalCursor(clock)).scheduler(clock).defaultPace(Pace.perSecond(10)).build();
    Caller now = World.call(clock, pacer, Call.ONE);
    Caller leaves = World.call(clock, pacer, Call.ONE);
    Caller next = World.call(clock, pacer, Call.ONE);
    clock.holdBackHandOvers();
    world.pass(World.seconds(0.1));
    leaves.cancel();
    clock.letGo();
    world.pass(World.seconds(0.2));
    assertThat(now.passed()).isTrue();
    assertThat(leaves.signals).isZero();
    assertThat(next.at).isEqualTo(100_000_000);
    assertThat(world.heard.cancelled).hasValue(1);
  }

  @DisplayName("a call that came and left while its lane was busy is counted once")
  @Test
  void aCallThatCameAndLeftMeanwhileIsCountedOnce() {
    List<Pacer> pacer = new ArrayList<>();
    ScriptedCursor busy = new ScriptedCursor().answers(claim -> {
      world.call(pacer.get(0)).cancel(); // within the lane's work, as another thread would
      return Mono.just(new Cursor.Grant(claim.permits(), 0, 0, claim.gcra(), 1, false, Cursor.Cooldown.NONE, 0));
    });
    pacer.add(world.builder().cursor(busy).defaultPace(Pace.perSecond(10)).build());
    Caller call = world.call(pacer.get(0));
    assertThat(call.passed()).isTrue();
    assertThat(world.heard.cancelled).hasValue(1);
    world.pass(Duration.ofSeconds(1));
    assertThat(pacer.get(0).size()).isZero();
  }

  @DisplayName("C036: a caller's own time-out ends the wait, and the call is never made")
  @Test
  void aTimeoutShorterThanTheWaitEndsIt() {
    Pacer pacer = world.pacer(Pace.of(1, Duration.ofSeconds(5)));
    world.call(pacer);
    List<Object> outcome = new ArrayList<>();
    List<String> sent = new ArrayList<>();
    pacer.reserve(World.KEY)
        .then(Mono.fromRunnable(() -> sent.add("request")))
        .timeout(Duration.ofSeconds(2), world.time)
        .subscribe(outcome::add, outcome::add);
    world.pass(World.seconds(1.999));
    assertThat(outcome).isEmpty();
    world.pass(World.seconds(0.001));
    assertThat(outcome).singleElement().isInstanceOf(TimeoutException.class);
    world.pass(Duration.ofSeconds(10));
    assertThat(sent).isEmpty();
    assertThat(world.heard.cancelled).hasValue(1);
    assertThat(world.heard.givenBack).hasValue(1);
    assertThat(pacer.size()).isZero();
  }

  @DisplayName("C107: who asks for nothing reserves nothing")
  @Test
  void nothingIsReservedBeforeItIsAskedFor() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    Caller shy = Caller.shy(world.time);
    pacer.reserve(World.KEY).subscribe(shy);
    shy.cancel();
    shy.request(1);
    Caller patient = Caller.shy(world.time);
    pacer.reserve(World.KEY).subscribe(patient);
    world.pass(Duration.ofSeconds(3));
    assertThat(pacer.size()).isZero();
    assertThat(world.cursor.size()).isZero();
    assertThat(shy.signals).isZero();
    patient.request(1);
    patient.request(1);
    assertThat(patient.waited).isZero();
    assertThat(patient.signals).isEqualTo(1);
    assertThat(world.heard.granted).hasValue(1);
  }

  @Test
  void cancellingTwiceOrAfterwardsIsNothing() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    Caller first = world.call(pacer);
    Caller second = world.call(pacer);
    first.cancel();
    second.cancel();
    second.cancel();
    world.pass(Duration.ofSeconds(1));
    assertThat(world.heard.cancelled).hasValue(1);
    assertThat(world.heard.givenBack).hasValue(1);
  }

  @DisplayName("a storm of 100 000 cancellations, in any order, leaves nothing behind and takes no time")
  @ParameterizedTest
  @ValueSource(strings = {"first to last", "last to first", "shuffled"})
  void aStorm(String order) {
    Pacer pacer = world.builder().defaultPace(Pace.perSecond(1_000)).build();
    List<Caller> calls = new ArrayList<>(world.calls(pacer, 100_000));
    Caller last = world.call(pacer);
    switch (order) {
      case "last to first" -> Collections.reverse(calls);
      case "shuffled" -> Collections.shuffle(calls, new Random(7));
      default -> {}
    }
    calls.forEach(Caller::cancel);
    world.pass(World.seconds(0.001));
    assertThat(last.waited).isEqualTo(World.seconds(0.001));
    assertThat(world.heard.cancelled).hasValue(99_999);
    world.pass(Duration.ofSeconds(1));
    assertThat(pacer.size()).isZero();
    assertThat(world.cursor.size()).isZero();
  }

  @Test
  void aStormOfCallsThatComeAndGoMovesTheCursorByNone() {
    Pacer pacer = world.pacer(Pace.perSecond(10));
    world.call(pacer);
    for (int i = 0; i < 10_000; i++) {
      world.call(pacer).cancel();
    }
    assertThat(world.ahead()).isEqualTo(100_000_000);
    assertThat(world.heard.cancelled).hasValue(10_000);
  }

  @Test
  void aCallThatLeavesWhenAnotherIsLetThroughIsNotLetThrough() {
    Pacer pacer = world.pacer(Pace.perSecond(10).burst(3));
    List<Caller> out = new ArrayList<>();
    world.calls(pacer, 3);
    Caller victim = Caller.of(world.time);
    pacer.reserve(World.KEY).doOnNext(waited -> victim.cancel()).subscribe();
    pacer.reserve(World.KEY).subscribe(victim);
    Caller next = world.call(pacer);
    world.pass(Duration.ofSeconds(5));
    assertThat(out).isEmpty();
    assertThat(victim.signals).isZero();
    assertThat(next.passed()).isTrue();
    assertThat(pacer.size()).isZero();
  }

  @Test
  void takeOfARepeatedReservationCancelsNothingButTheRest() {
    Pacer pacer = world.pacer(Pace.perSecond(10));
    List<Duration> got = new ArrayList<>();
    Flux.defer(() -> pacer.reserve(World.KEY)).repeat().take(3).subscribe(got::add);
    world.pass(Duration.ofSeconds(5));
    assertThat(got).hasSize(3);
    assertThat(world.heard.granted).hasValue(3);
  }
}
