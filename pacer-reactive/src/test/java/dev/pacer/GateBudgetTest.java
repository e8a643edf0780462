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

/** P8: one budget covers gate and slot, and who cannot be served within it is told at once. */
class GateBudgetTest {

  private final GateWorld world = new GateWorld();

  @Test
  @DisplayName("C047: Retry-After 198300 with 1,000 queued: all are refused at once, with the figure and the time left")
  void aCooldownOfDaysFailsEverybodyAtOnce() {
    Pacer pacer = world.pacer(10);
    List<GateCall> calls = world.calls(pacer, 1_000);
    world.pass(1);
    assertThat(times(calls)).hasSize(11);
    pacer.coolDown(KEY, seconds(198_300));
    world.pass(Duration.ZERO);
    List<GateCall> refused = calls.subList(11, 1_000);
    assertThat(refused).allMatch(GateCall::failed);
    RateLimitedException refusal = refused.get(0).refusal();
    assertThat(refusal.key()).isEqualTo(KEY);
    assertThat(refusal.retryAfter()).contains(seconds(198_300));
    assertThat(refusal.cooldownLeft()).isEqualTo(seconds(198_300));
    assertThat(refusal.waitNeeded()).isEqualTo(seconds(198_301));
    assertThat(refusal.maxWait()).isEqualTo(seconds(300));
    assertThat(refusal.isGateHandled()).isTrue();
    assertThat(refusal).hasMessageContaining("cools down for PT55H5M").hasMessageContaining("the vendor said PT55H5M");
  }

  @Test
  @DisplayName("P8: a call that comes back from the last moment to a cooldown beyond its budget is refused at once too")
  void aCallThatComesBackToALongCooldownDoesNotWaitOutItsBudget() {
    GateHands hands = new GateHands(world.time);
    Pacer pacer = world.builder().scheduler(hands).defaultPace(Pace.perSecond(1)).build();
    List<GateCall> calls = world.calls(pacer, 3);
    hands.hold();
    world.pass(1);
    pacer.coolDown(KEY, seconds(3_600));
    world.pass(Duration.ZERO);
    hands.letGo();
    assertThat(calls.get(0).passed()).isTrue();
    assertThat(calls.subList(1, 3)).allMatch(GateCall::failed);
    assertThat(calls.get(1).refusal().retryAfter()).contains(seconds(3_600));
    assertThat(calls.get(1).refusal().waitNeeded()).isEqualTo(seconds(3_601));
  }

  @Test
  @DisplayName("C047: later one every 10 min: each is refused at once, none leaves before 198,300 s, and there is no timer per caller")
  void duringACooldownOfDaysEveryNewcomerIsRefusedAtOnce() {
    Pacer pacer = world.pacer(10);
    pacer.coolDown(KEY, seconds(198_300));
    long opens = world.now() + seconds(198_300).toNanos();
    while (opens - world.now() > seconds(300).toNanos()) {
      GateCall call = world.call(pacer);
      assertThat(call.refusal().cooldownLeft()).isEqualTo(Duration.ofNanos(opens - world.now()));
      assertThat(call.refusal().retryAfter()).contains(seconds(198_300));
      assertThat(world.time.getScheduledTaskCount()).isLessThan(1_000);
      world.pass(Duration.ofNanos(Math.min(seconds(600).toNanos(), opens - world.now() - seconds(300).toNanos())));
    }
    long timers = world.time.getScheduledTaskCount();
    List<GateCall> calls = world.calls(pacer, 2_000);
    assertThat(world.time.getScheduledTaskCount() - timers).isLessThanOrEqualTo(2);
    world.pass(301);
    assertThat(times(calls)).isNotEmpty().allMatch(at -> at >= opens);
  }

  @Test
  void whoCouldNotBeServedBehindTheGateIsRefusedTheMomentItShuts() {
    Pacer pacer = world.pacer(10);
    List<GateCall> calls = world.calls(pacer, 3_000);
    assertThat(calls).noneMatch(GateCall::failed);
    pacer.coolDown(KEY, seconds(250));
    world.pass(Duration.ZERO);
    long now = world.now();
    List<GateCall> refused = calls.stream().filter(GateCall::failed).toList();
    assertThat(refused).as("50 s are left, at 10 a second").hasSizeBetween(2_490, 2_500);
    assertThat(refused).allMatch(call -> call.at == now);
    assertThat(refused).allMatch(call -> call.refusal().waitNeeded().compareTo(seconds(300)) > 0);
    world.pass(400);
    assertThat(calls).noneMatch(GateCall::waits);
    assertThat(calls.stream().filter(GateCall::failed).toList()).as("nobody is refused later").hasSize(refused.size());
  }

  @Test
  void whoIsRefusedMakesRoomForWhoWaitsBehindWithALongerBudget() {
    Pacer pacer = world.pacer(1);
    pacer.coolDown(KEY, seconds(10));
    List<GateCall> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      all.add(world.call(pacer, Call.ONE.maxWait(seconds(30))));
    }
    GateCall last = world.call(pacer, Call.ONE.maxWait(seconds(40)));
    pacer.coolDown(KEY, seconds(32));
    world.pass(Duration.ZERO);
    assertThat(all).allMatch(GateCall::failed);
    assertThat(last.waits()).isTrue();
    world.pass(32);
    assertThat(last.waited).isEqualTo(seconds(32));
  }

  @Test
  void gateAndSlotShareOneBudget() {
    Pacer pacer = world.pacer(0.1); // a slot every 10 s
    assertThat(world.call(pacer).passed()).isTrue();
    pacer.coolDown(KEY, seconds(30));
    GateCall first = world.call(pacer, Call.ONE.maxWait(seconds(30)));
    GateCall second = world.call(pacer, Call.ONE.maxWait(seconds(39.9)));
    GateCall third = world.call(pacer, Call.ONE.maxWait(seconds(40)));
    assertThat(second.refusal().waitNeeded()).as("gate and slot").isEqualTo(seconds(40));
    world.pass(30);
    assertThat(first.waited).isEqualTo(seconds(30));
    world.pass(10);
    assertThat(third.waited).isEqualTo(seconds(40));
  }

  @Test
  void aRefusalMovesNoCursor() {
    Pacer pacer = world.pacer(1);
    world.call(pacer);
    world.pass(5);
    pacer.coolDown(KEY, seconds(400));
    long before = world.cursor.peek(KEY).block().aheadNanos();
    assertThat(world.calls(pacer, 1_000)).allMatch(GateCall::failed);
    assertThat(world.cursor.peek(KEY).block().aheadNanos()).isEqualTo(before);
  }

  @Test
  void aProcessThatHeardNoFigureStillSaysHowLong() {
    world.pacer(1).coolDown(KEY, seconds(400));
    GateCall call = world.call(world.pacer(1));
    assertThat(call.refusal().cooldownLeft()).isEqualTo(seconds(400));
    assertThat(call.refusal().retryAfter()).isEmpty();
    assertThat(call.refusal().waitNeeded()).isEqualTo(seconds(400));
  }

  @Test
  void aFigureOfThePastIsNotTold() {
    Pacer pacer = world.pacer(0.01); // a slot every 100 s
    pacer.coolDown(KEY, seconds(20));
    world.pass(20);
    assertThat(pacer.gate(KEY)).isEqualTo(new GateState(Duration.ZERO, 1, 0, null));
    world.call(pacer);
    GateCall paced = world.call(pacer, Call.ONE.maxWait(seconds(50)));
    assertThat(paced.refusal().retryAfter()).isEmpty();
    assertThat(paced.refusal().cooldownLeft()).isZero();
  }

  @Test
  void nowOrNotAtAllIsNotAtAllWhileTheGateIsShut() {
    Pacer pacer = world.pacer(10);
    pacer.coolDown(KEY, seconds(1));
    assertThat(world.call(pacer, Call.ONE.maxWait(Duration.ZERO)).refusal().waitNeeded()).isEqualTo(seconds(1));
  }

  @Test
  @DisplayName("C034: 100,000 callers in 10 s at a gate of 250 s, 10/s: about 500 are served, the rest refused promptly, the heap is modest")
  void anEndlessQueueDoesNotForm() {
    Pacer pacer = world.pacer(10);
    pacer.coolDown(KEY, seconds(250));
    long before = usedHeap();
    List<GateCall> accepted = new ArrayList<>();
    int prompt = 0;
    for (int tenth = 0; tenth < 100; tenth++) {
      for (int i = 0; i < 1_000; i++) {
        GateCall call = world.call(pacer);
        if (call.failed()) {
          prompt++;
        } else {
          accepted.add(call);
        }
      }
      world.pass(0.1);
    }
    assertThat(usedHeap() - before).isLessThan(50L << 20);
    world.pass(400);
    List<Long> served = times(accepted);
    assertThat(served.size()).isBetween(500, 610);
    assertThat(prompt).isGreaterThan(99_300);
    assertThat(prompt + accepted.size()).isEqualTo(100_000);
    assertThat(accepted).allMatch(GateCall::passed);
  }

  private static long usedHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @Test
  void peekCountsTheGateAndTheQueueBehindIt() {
    Pacer pacer = world.pacer(1);
    pacer.coolDown(KEY, seconds(30));
    world.calls(pacer, 5);
    assertThat(pacer.peek(KEY).block()).isEqualTo(seconds(35));
  }
}
