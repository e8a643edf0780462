package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** P3: late means late for everybody. */
class LatenessTest {

  private final World world = new World();
  private final StubbornScheduler clock = new StubbornScheduler(world.time);
  private final List<Window.Spent> line = new ArrayList<>();

  private Pacer pacer(Pace pace) {
    return world.builder().scheduler(clock).defaultPace(pace).maxWait(Duration.ofHours(1)).build();
  }

  private void calls(Pacer pacer, int n, int cost) {
    for (int i = 0; i < n; i++) {
      pacer.reserve(World.KEY, Call.of(cost)).subscribe(waited -> line.add(new Window.Spent(world.now(), cost)), refused -> {});
    }
  }

  /** The process stands still, as in a GC pause, or when its machine is suspended. */
  private void standStill(Duration duration) {
    clock.holdBack();
    world.pass(duration);
    clock.letGo();
  }

  @DisplayName("after a pause, no more than the burst goes out at once, and the rest at its distance")
  @ParameterizedTest
  @CsvSource({
    "7,1,1,5000", "7,1,1,90", "7,3,1,5000", "7,3,3,60", "20,1,1,60", "20,1,1,10000", "40,8,1,90", "40,8,8,90",
    "90,30,1,99", "99,20,20,99", "99,20,7,50", "50,10,1,3600000"
  })
  void aPauseIsNoBurst(double perSecond, int burst, int cost, long pauseMillis) {
    Pace pace = Pace.perSecond(perSecond).burst(burst);
    Pacer pacer = pacer(pace);
    calls(pacer, 1_000 / cost, cost);
    world.pass(World.seconds(1.234));
    standStill(Duration.ofMillis(pauseMillis));
    world.pass(World.seconds(1.234));
    standStill(Duration.ofMillis(pauseMillis));
    world.pass(Duration.ofSeconds(2));
    long slack = Spacing.slack(pace.gcra());
    assertThat(Window.violation(line, pace.gcra(), 2 + slack)).isEmpty();
    assertThat(Window.most(line, 1_000_000_000 - slack)).isLessThanOrEqualTo((long) perSecond);
  }

  @DisplayName("a fast pace catches up five milliseconds, and no more")
  @ParameterizedTest
  @ValueSource(longs = {1, 10, 50, 99, 150, 20_000})
  void aFastPaceCatchesUpNoMoreThanTheSlack(long pauseMillis) {
    Pace pace = Pace.perSecond(1_000);
    Pacer pacer = pacer(pace);
    calls(pacer, 3_000, 1);
    world.pass(World.seconds(0.5));
    standStill(Duration.ofMillis(pauseMillis));
    world.pass(World.seconds(0.5));
    assertThat(Window.violation(line, pace.gcra(), Spacing.SLACK + 1)).isEmpty();
    assertThat(line).hasSizeGreaterThan(850);
  }

  @DisplayName("slots overdue by more than a quantum are dropped and taken anew")
  @Test
  void overdueSlotsAreTakenAnew() {
    Pacer pacer = pacer(Pace.perSecond(1_000));
    calls(pacer, 1_000, 1);
    world.pass(World.seconds(0.1));
    int before = line.size();
    standStill(Duration.ofSeconds(5));
    assertThat(line).as("the first of the new ones").hasSize(before + 1);
    assertThat(world.heard.lost.get()).isBetween(1L, 100L);
    world.pass(Duration.ofSeconds(2));
    assertThat(line).hasSize(1_000);
    assertThat(world.heard.latest.get()).isLessThanOrEqualTo(100_000_000);
  }

  @DisplayName("where slots are far apart, one that came too late is given back, and the next one is not an interval away")
  @Test
  void aLateSlotOfASlowPaceIsNotAnIntervalLost() {
    Pacer pacer = pacer(Pace.perMinute(1));
    calls(pacer, 2, 1);
    world.pass(Duration.ofSeconds(30));
    standStill(Duration.ofSeconds(40)); // over the second slot, by ten seconds
    world.pass(Duration.ofSeconds(1));
    assertThat(line).hasSize(2);
    assertThat(world.heard.lost).hasValue(0);
    calls(pacer, 1, 1);
    world.pass(Duration.ofSeconds(58));
    assertThat(line).as("and the one after it is a whole interval later").hasSize(2);
  }

  @DisplayName("a pause longer than a wait budget: who waited too long is told so, the others go on")
  @Test
  void budgetsSpentInAPauseAreRefused() {
    Pacer pacer = world.builder().scheduler(clock).defaultPace(Pace.perSecond(1)).build();
    Caller first = world.call(pacer);
    Caller hasty = world.call(pacer, Call.ONE.maxWait(Duration.ofSeconds(2)));
    Caller patient = world.call(pacer);
    standStill(Duration.ofSeconds(10));
    world.pass(Duration.ofSeconds(1));
    assertThat(first.passed()).isTrue();
    assertThat(hasty.refusal().waitNeeded()).isGreaterThan(Duration.ofSeconds(2));
    assertThat(patient.passed()).isTrue();
  }

  @DisplayName("a slot that went by while nobody waited is not used by who comes later: the window would not hold")
  @ParameterizedTest
  @ValueSource(doubles = {7, 20})
  void aSlotThatWentByIsGone(double perSecond) {
    Pace pace = Pace.perSecond(perSecond);
    Pacer one = world.pacer(pace);
    Pacer two = world.pacer(pace);
    List<Caller> calls = new ArrayList<>();
    calls.add(world.call(one));
    Caller leaves = world.call(one);
    calls.addAll(world.calls(two, 20)); // has booked behind, so the slot cannot be given back
    leaves.cancel();
    world.pass(pace.interval().plusMillis(49));
    calls.add(world.call(one)); // 49 ms after that slot
    world.pass(Duration.ofSeconds(10));
    List<Window.Spent> spent = World.times(calls).stream().map(at -> new Window.Spent(at, 1)).toList();
    assertThat(spent).hasSize(22);
    assertThat(Window.most(spent, 1_000_000_000)).isLessThanOrEqualTo((long) perSecond);
    assertThat(Window.violation(spent, pace.gcra(), Spacing.SLACK)).isEmpty();
  }

  @DisplayName("slots that came with a slow answer are as late as the answer was")
  @Test
  void aSlowAnswerIsNoBurst() {
    Pace pace = Pace.perSecond(100);
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(pace).build();
    calls(pacer, 20, 1);
    cursor.grant(1, 0, 0, 1);
    world.pass(World.seconds(0.08)); // the answer lies about
    cursor.grant(9, -80_000_000 + 10_000_000, 10_000_000, 2);
    world.pass(World.seconds(0.2));
    assertThat(Window.violation(line, pace.gcra(), 1)).isEmpty();
  }

  @DisplayName("C017: a clock that steps back or forth gives no burst, and delays by no more than the step")
  @ParameterizedTest
  @ValueSource(longs = {-50_000_000, 50_000_000})
  void aStepOfTheClockIsNoBurst(long step) {
    Pace pace = Pace.perSecond(3);
    Pacer pacer = world.builder().scheduler(clock).cursor(new LocalCursor(clock)).defaultPace(pace).build();
    calls(pacer, 200, 1);
    for (int i = 0; i < 20; i++) {
      world.pass(Duration.ofSeconds(3));
      clock.step(i % 2 == 0 ? step : -step);
    }
    assertThat(line.size()).isBetween(170, 181);
    assertThat(Window.violation(line, pace.gcra(), 50_000_000)).isEmpty();
  }

  @DisplayName("C008: none of 10 000 is early, and in virtual time none is late")
  @Test
  void nothingIsEarlyOrLate() {
    Pacer pacer = world.builder().defaultPace(Pace.perSecond(250)).build();
    List<Caller> calls = world.calls(pacer, 10_000);
    world.pass(Duration.ofSeconds(40));
    for (int i = 0; i < calls.size(); i++) {
      assertThat(calls.get(i).at).isEqualTo(i * 4_000_000L);
    }
    assertThat(world.heard.latest).hasValue(0);
  }

  @DisplayName("C008: a call that comes after 200.4 ms waits 799.6 ms, not less")
  @Test
  void aPartOfAnIntervalIsNotRounded() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    world.call(pacer);
    world.pass(Duration.ofNanos(200_400_000));
    Caller second = world.call(pacer);
    world.pass(Duration.ofSeconds(1));
    assertThat(second.waited).isEqualTo(Duration.ofNanos(799_600_000));
  }
}
