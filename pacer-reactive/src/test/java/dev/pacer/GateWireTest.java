package dev.pacer;

import static dev.pacer.GateWorld.KEY;
import static dev.pacer.GateWorld.seconds;
import static dev.pacer.GateWorld.times;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gate whose row is a round trip away, or cannot be reached. */
class GateWireTest {

  private static final Duration ONE_WAY = Duration.ofMillis(100);

  private final GateWorld world = new GateWorld();
  private final GateWire wire = new GateWire(world.cursor, ONE_WAY, world.time);

  private Pacer pacer(Backoff backoff) {
    return world.builder().cursor(wire).backoff(backoff).defaultPace(Pace.perSecond(100)).build();
  }

  private List<Sent> sent(Pacer pacer, int n) {
    List<GateCall> calls = world.calls(pacer, n);
    List<Sent> sent = new ArrayList<>();
    world.pass(5);
    assertThat(times(calls)).hasSize(n);
    calls.forEach(call -> sent.add(pacer.sending(KEY)));
    return sent;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("C051: twenty answers within the round trip are one strike, one step wider, and told once")
  void parallelAnswersAreToldOnce(boolean shared) {
    Pacer pacer = pacer(GateWorld.PLAIN.widening(4, 20, shared));
    sent(pacer, 20).forEach(call -> pacer.coolDown(call, null));
    assertThat(pacer.remaining(KEY)).as("at once").isEqualTo(seconds(30));
    world.pass(1);
    assertThat(wire.stops).hasSize(1);
    assertThat(world.row().strikes()).isEqualTo(1);
    assertThat(pacer.gate(KEY).widening()).isEqualTo(1);
    assertThat(world.heard.freshOnes()).isEqualTo(1);
  }

  @Test
  void aLongerFigureAmongThemIsTold() {
    Pacer pacer = pacer(GateWorld.PLAIN);
    List<Sent> sent = sent(pacer, 3);
    pacer.coolDown(sent.get(0), seconds(10));
    pacer.coolDown(sent.get(1), seconds(5));
    pacer.coolDown(sent.get(2), seconds(20));
    world.pass(1);
    assertThat(wire.stops).hasSize(2);
    assertThat(world.row().strikes()).isEqualTo(1);
    assertThat(world.row().shutUntil()).isGreaterThan(seconds(19).toNanos());
  }

  @Test
  void anAnswerToACallSentAfterABriefCooldownIsANewStrikeThoughTheCursorHasNotAnsweredYet() {
    Pacer pacer = pacer(GateWorld.PLAIN.least(Duration.ofMillis(50)));
    List<Sent> sent = sent(pacer, 2);
    pacer.coolDown(sent.get(0), Duration.ZERO);
    world.pass(0.06); // the gate is open again, the row does not know of it yet
    Sent after = pacer.sending(KEY);
    assertThat(after).isNotNull();
    pacer.coolDown(after, null);
    world.pass(1);
    assertThat(world.row().strikes()).isEqualTo(2);
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(2);
  }

  @Test
  void slotsThatWereAskedForBeforeTheStopAndComeAfterItAreDropped() {
    Pacer pacer = pacer(GateWorld.LEVEL.least(Duration.ofMillis(1)));
    sent(pacer, 1);
    world.pass(5);
    List<GateCall> calls = world.calls(pacer, 5);
    world.pass(0.150);
    long opens = world.now() + Duration.ofMillis(60).toNanos();
    pacer.coolDown(KEY, Duration.ofMillis(60)); // the grant is under way
    world.pass(5);
    List<Long> times = times(calls);
    assertThat(times).hasSize(5).allMatch(at -> at >= opens);
    assertThat(times.get(1) - times.get(0)).isGreaterThanOrEqualTo(Duration.ofMillis(10).toNanos());
    assertThat(world.heard.lost.get()).isPositive();
  }

  @Test
  void aCooldownToldWhileTheCursorIsAwayIsToldWhenItIsBack() {
    Pacer pacer = pacer(GateWorld.LEVEL);
    List<Sent> sent = sent(pacer, 1);
    wire.cut = true;
    pacer.coolDown(sent.get(0), seconds(60));
    world.pass(20);
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(40));
    assertThat(world.row().shutUntil()).isZero();
    wire.cut = false;
    world.pass(2);
    assertThat(world.row().shutUntil()).isBetween(seconds(37).toNanos(), seconds(39).toNanos());
    int told = wire.stops.size();
    assertThat(told).as("once a second at most").isLessThanOrEqualTo(22);
    world.pass(20);
    assertThat(wire.stops).as("told once it was heard").hasSize(told);
  }

  @Test
  void aCooldownThatIsOverBeforeTheCursorIsBackIsNotTold() {
    Pacer pacer = pacer(GateWorld.LEVEL);
    List<Sent> sent = sent(pacer, 1);
    wire.cut = true;
    pacer.coolDown(sent.get(0), seconds(5));
    world.pass(60);
    wire.cut = false;
    world.pass(60);
    assertThat(world.row()).isEqualTo(Cursor.Gate.OPEN);
  }

  @Test
  void aPacerThatIsClosedRightAfterAStopStillTellsIt() {
    Pacer pacer = pacer(GateWorld.LEVEL);
    pacer.coolDown(sent(pacer, 1).get(0), seconds(60));
    pacer.close();
    assertThat(wire.closed).as("not before it is told").isFalse();
    world.pass(1);
    assertThat(wire.closed).isTrue();
    assertThat(world.row().shutUntil()).isPositive();
  }

  @Test
  void whoWaitsForTheGateIsNotKeptUntilItIsTold() {
    Pacer pacer = pacer(GateWorld.LEVEL);
    pacer.coolDown(sent(pacer, 1).get(0), seconds(60));
    Watcher watcher = Watcher.of(pacer.whenOpen(KEY), world.time);
    pacer.close();
    world.pass(Duration.ZERO);
    assertThat(watcher.error).isInstanceOf(PacerClosedException.class);
    assertThat(wire.closed).isFalse();
  }

  @Test
  void oneThatCannotTellItClosesAllTheSame() {
    Pacer pacer = pacer(GateWorld.LEVEL);
    List<Sent> sent = sent(pacer, 1);
    wire.cut = true;
    pacer.coolDown(sent.get(0), seconds(60));
    pacer.close();
    world.pass(1);
    assertThat(wire.closed).isTrue();
    assertThat(pacer.size()).isZero();
  }

  @Test
  @DisplayName("a process whose row was lost still hears of the others' cooldowns")
  void aRowThatBeginsAnewStillShutsTheGate() {
    Pacer pacer = pacer(GateWorld.LEVEL);
    for (int i = 0; i < 3; i++) {
      pacer.coolDown(sent(pacer, 1).get(0), seconds(1));
      world.pass(1);
    }
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(3);
    wire.notices.tryEmitNext(new Cursor.Notice(KEY, new Cursor.Cooldown(seconds(20).toNanos(), 1, 1, 0))).orThrow();
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(20));
  }

  @Test
  @DisplayName("a clock that runs ahead of the cursor's makes no new cooldown of an old one")
  void theSameCooldownIsNotNewBecauseAClockRunsAhead() {
    Pacer pacer = pacer(GateWorld.LEVEL);
    pacer.coolDown(KEY, seconds(1));
    world.pass(5);
    world.heard.shut.clear();
    wire.notices.tryEmitNext(new Cursor.Notice(KEY, new Cursor.Cooldown(seconds(20).toNanos(), 1, 2, 0))).orThrow();
    world.pass(20);
    wire.notices.tryEmitNext(new Cursor.Notice(KEY, new Cursor.Cooldown(1_000_000, 1, 2, 0))).orThrow();
    assertThat(pacer.inCooldown(KEY)).isTrue();
    assertThat(world.heard.shut).extracting(GateEars.Shut::fresh).containsExactly(true, false);
  }

  @Test
  void aNoticeOfAKeyThatNobodyUsesCostsNothing() {
    Pacer pacer = pacer(GateWorld.LEVEL);
    for (int i = 0; i < 1_000; i++) {
      wire.notices
          .tryEmitNext(new Cursor.Notice("key" + i, new Cursor.Cooldown(seconds(20).toNanos(), 1, 1, 0)))
          .orThrow();
    }
    assertThat(pacer.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("C051: also when their lane has gone meanwhile, and the new one knows no generation yet")
  void parallelAnswersToALaneThatIsGoneAreToldOnce(boolean shared) {
    Pacer pacer = pacer(GateWorld.PLAIN.widening(4, 1, shared));
    for (int i = 0; i < 3; i++) {
      pacer.coolDown(sent(pacer, 1).get(0), seconds(1));
      world.pass(2);
    }
    for (int i = 0; i < 3; i++) {
      pacer.succeeded(sent(pacer, 1).get(0));
    }
    List<Sent> sent = sent(pacer, 20);
    world.pass(3_600);
    assertThat(pacer.size()).as("no lane").isZero();
    world.heard.shut.clear();
    wire.stops.clear();
    sent.forEach(call -> pacer.coolDown(call, null));
    world.pass(1);
    assertThat(wire.stops).hasSize(1);
    assertThat(world.heard.freshOnes()).isEqualTo(1);
    assertThat(pacer.gate(KEY).widening()).isEqualTo(1);
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(1);
    world.pass(60);
    Sent after = sent(pacer, 1).get(0);
    assertThat(after.generation()).as("the fleet's").isEqualTo(world.row().generation());
  }
}
