package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** P8: nobody waits for ever, and what cannot be served in time fails at once. */
class WaitBudgetTest {

  private static final Duration LONG = Duration.ofSeconds(300);

  private final World world = new World();

  @DisplayName("C032: refused calls are free")
  @Test
  void refusedCallsMoveNothing() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    world.book(World.seconds(299.5));
    Caller accepted = world.call(pacer);
    List<Caller> rest = world.calls(pacer, 1_000);
    assertThat(world.ahead()).isEqualTo(300_500_000_000L);
    assertThat(rest).allSatisfy(call -> assertThat(call.refusal().waitNeeded()).isGreaterThanOrEqualTo(World.seconds(300.5)));
    world.pass(Duration.ofSeconds(2));
    assertThat(world.ahead()).isEqualTo(298_500_000_000L);
    Caller later = world.call(pacer);
    world.pass(Duration.ofSeconds(400));
    assertThat(accepted.waited).isEqualTo(World.seconds(299.5));
    assertThat(later.waited).isEqualTo(World.seconds(298.5));
    assertThat(world.heard.refused).hasValue(1_000);
  }

  @DisplayName("C033: a slot 400 s away: refused at once, with the 400 s, and no timer left")
  @Test
  void whatIsTooFarAwayFailsAtOnce() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    world.book(Duration.ofSeconds(400));
    Caller call = world.call(pacer);
    assertThat(call.at).isZero();
    assertThat(call.refusal().waitNeeded()).isEqualTo(Duration.ofSeconds(400));
    assertThat(call.refusal().maxWait()).isEqualTo(LONG);
    assertThat(call.refusal().key()).isEqualTo(World.KEY);
    assertThat(call.refusal()).hasMessageContainingAll("PT6M40S", "PT5M", "raise maxWait").hasNoCause();
    assertThat(call.refusal().getStackTrace()).isEmpty();
    world.pass(World.seconds(0.2));
    assertThat(pacer.size()).as("lanes, and so timers, a quantum later").isZero();
  }

  @DisplayName("C034: 100 000 calls in 10 s at 10/s: 3 100 are served, the rest is refused promptly")
  @Test
  void theQueueIsBoundedByTheBudget() {
    Pacer pacer = world.pacer(Pace.perSecond(10));
    List<Caller> calls = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      calls.addAll(world.calls(pacer, 100));
      world.pass(Duration.ofMillis(10));
    }
    long waiting = calls.stream().filter(Caller::waits).count();
    assertThat(waiting).isBetween(2_990L, 3_010L);
    long refusedLate = calls.stream().filter(call -> call.error != null && call.at > 10_000_000_000L).count();
    assertThat(refusedLate).isZero();
    world.pass(Duration.ofSeconds(301));
    assertThat(calls).noneMatch(Caller::waits);
    assertThat(world.heard.released.get()).isBetween(3_090L, 3_110L);
  }

  @DisplayName("C011: 0.1/s waits 0, 10, 20 s; one a day: the second is told about a day, and moves nothing")
  @Test
  void slowPacesAreExact() {
    Pacer pacer = world.builder().defaultPace(Pace.perSecond(0.1)).pace("daily", Pace.perDay(1)).build();
    List<Caller> calls = world.calls(pacer, 3);
    Caller first = Caller.of(world.time);
    Caller second = Caller.of(world.time);
    pacer.reserve("daily").subscribe(first);
    pacer.reserve("daily").subscribe(second);
    world.pass(Duration.ofSeconds(30));
    assertThat(World.waits(calls)).containsExactly(Duration.ZERO, Duration.ofSeconds(10), Duration.ofSeconds(20));
    assertThat(first.waited).isZero();
    assertThat(second.refusal().waitNeeded()).isEqualTo(Duration.ofSeconds(86_400));
    assertThat(world.cursor.peek("daily").block().aheadNanos()).isEqualTo(Duration.ofSeconds(86_400 - 30).toNanos());
  }

  @DisplayName("C014: a budget for ever is cut to the longest, per call; refused by the builder; a negative one is refused")
  @Test
  void hugeBudgetsAreCut() {
    Pacer pacer = world.pacer(Pace.of(1, Duration.ofSeconds(600)));
    world.call(pacer);
    List<Caller> calls = List.of(
        world.call(pacer, Call.ONE.maxWait(ChronoUnit.FOREVER.getDuration())),
        world.call(pacer, Call.ONE.maxWait(Duration.ofDays(365 * 300))));
    assertThat(calls.get(0).waits()).isTrue();
    assertThat(calls.get(1).refusal().maxWait()).isEqualTo(Duration.ofSeconds(900));
    world.pass(Duration.ofSeconds(600));
    assertThat(calls.get(0).waited).isEqualTo(Duration.ofSeconds(600));
    for (Duration bad : List.of(ChronoUnit.FOREVER.getDuration(), Duration.ofDays(365 * 300), Duration.ofSeconds(-1))) {
      assertThatIllegalArgumentException().isThrownBy(() -> Pacer.builder().maxWait(bad))
          .withMessageContainingAll("maxWait must be at least PT0S and at most PT720H", "was " + bad);
    }
    assertThatIllegalArgumentException().isThrownBy(() -> Call.ONE.maxWait(Duration.ofNanos(-1)))
        .withMessage("maxWait must not be negative, was PT-0.000000001S");
  }

  @DisplayName("C014: a budget of zero is now or not at all")
  @Test
  void aBudgetOfZeroIsNowOrNever() {
    Pacer pacer = world.pacer(Pace.perSecond(1).burst(1));
    Call now = Call.ONE.maxWait(Duration.ZERO);
    Caller first = world.call(pacer, now);
    Caller second = world.call(pacer, now);
    assertThat(first.waited).isZero();
    assertThat(second.refusal().waitNeeded()).isEqualTo(Duration.ofSeconds(1));
    world.pass(World.seconds(0.999999999));
    assertThat(world.call(pacer, now).refusal().waitNeeded()).isEqualTo(Duration.ofNanos(1));
    world.pass(Duration.ofNanos(1));
    assertThat(world.call(pacer, now).waited).isZero();
  }

  @DisplayName("a budget of zero is asked for, even though the clock has moved since the call came")
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 1_000, 50_000})
  void aBudgetOfZeroIsGivenItsChance(long nanosPerReading) {
    StubbornScheduler clock = new StubbornScheduler(world.time).moving(nanosPerReading);
    Pacer pacer = world.builder().scheduler(clock).cursor(new LocalCursor(clock)).defaultPace(Pace.perSecond(1)).build();
    assertThat(World.call(clock, pacer, Call.ONE.maxWait(Duration.ZERO)).waited).isNotNull();
  }

  @DisplayName("a budget of zero is given its chance by a cursor that is a round trip away")
  @Test
  void aBudgetOfZeroMayTakeARoundTrip() {
    Cursor distant = new DistantCursor(world.cursor, world.time, 5_000_000);
    Pacer pacer = world.builder().cursor(distant).defaultPace(Pace.perSecond(10).burst(3)).build();
    List<Caller> calls = world.calls(pacer, 4, Call.ONE.maxWait(Duration.ZERO));
    world.pass(World.seconds(0.1));
    assertThat(calls.subList(0, 3)).allMatch(Caller::passed);
    assertThat(calls.get(3).refusal().waitNeeded()).isPositive();
  }

  @Test
  void mixedBudgetsAreEachKept() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    world.call(pacer);
    Caller patient = world.call(pacer, Call.ONE.maxWait(Duration.ofSeconds(10)));
    Caller hasty = world.call(pacer, Call.ONE.maxWait(World.seconds(1.5)));
    Caller third = world.call(pacer, Call.ONE.maxWait(Duration.ofSeconds(2)));
    Caller fourth = world.call(pacer, Call.ONE.maxWait(Duration.ofSeconds(2)));
    assertThat(hasty.refusal().waitNeeded()).isEqualTo(Duration.ofSeconds(2));
    assertThat(fourth.refusal().waitNeeded()).isEqualTo(Duration.ofSeconds(3));
    world.pass(Duration.ofSeconds(5));
    assertThat(patient.waited).isEqualTo(Duration.ofSeconds(1));
    assertThat(third.waited).isEqualTo(Duration.ofSeconds(2));
  }

  @DisplayName("a call overtaken until its budget is spent is refused at its deadline, and not seconds later")
  @Test
  void aCallThatIsOvertakenIsRefusedAtItsDeadline() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    world.call(pacer);
    world.call(pacer); // the lane holds the next slot for it, and has no reason to ask for more
    world.pass(World.seconds(0.1));
    Caller bulk = world.call(pacer, Call.ONE.priority(Priority.BULK).maxWait(World.seconds(2.5)));
    world.calls(pacer, 10, Call.ONE.priority(Priority.URGENT));
    world.pass(Duration.ofSeconds(20));
    assertThat(bulk.refusal()).isNotNull();
    assertThat(bulk.at).isBetween(2_600_000_000L, 2_600_000_001L);
  }

  @DisplayName("while others eat the slots: refused at once when that is sure, at the deadline at the latest")
  @Test
  void othersEatTheSlots() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(10)).build();
    Caller hasty = world.call(pacer, Call.ONE.maxWait(Duration.ofSeconds(1)));
    Caller patient = world.call(pacer, Call.ONE.maxWait(Duration.ofSeconds(60)));
    assertThat(cursor.lastClaim().withinNanos()).isEqualTo(1_000_000_000);
    cursor.refuse(5_000_000_000L);
    assertThat(hasty.refusal().waitNeeded()).isEqualTo(Duration.ofSeconds(5));
    assertThat(cursor.lastClaim().withinNanos()).isEqualTo(60_000_000_000L);
    cursor.refuse(90_000_000_000L);
    assertThat(patient.refusal().waitNeeded()).isEqualTo(Duration.ofSeconds(90));
    assertThat(cursor.openClaims()).isZero();
    world.pass(Duration.ofSeconds(1));
    assertThat(pacer.size()).isZero();
  }

  @DisplayName("a cursor that never answers: the call still ends, soon after its budget")
  @Test
  void aSilentCursorHoldsNobodyForEver() {
    ScriptedCursor cursor = new ScriptedCursor();
    AtomicInteger looks = new AtomicInteger();
    Pacer pacer = world.builder().cursor(cursor).noFallback().paces(key -> {
      assertThat(looks.incrementAndGet()).as("it does not turn idly").isLessThan(1_000);
      return Pace.perSecond(10);
    }).build();
    Caller call = world.call(pacer, Call.ONE.maxWait(Duration.ofSeconds(1)));
    world.pass(Duration.ofSeconds(4));
    assertThat(call.refusal().waitNeeded()).isGreaterThan(Duration.ofSeconds(1));
    assertThat(call.at).isLessThanOrEqualTo(3_100_000_000L);
  }

  @DisplayName("who asked in a hurry and left does not make the patient one behind be refused")
  @Test
  void theHurryOfOneWhoLeftIsNotHeldAgainstAnother() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(10)).build();
    Caller patient = world.call(pacer, Call.ONE.maxWait(Duration.ofSeconds(60)));
    cursor.grant(1, 50_000_000, 50_000_000, 1);
    world.pass(World.seconds(0.05));
    assertThat(patient.passed()).isTrue();

    Caller hasty = world.call(pacer, Call.ONE.maxWait(World.seconds(0.2)));
    Caller behind = world.call(pacer, Call.ONE.maxWait(Duration.ofSeconds(60)));
    hasty.cancel();
    cursor.refuse(5_000_000_000L); // that was for the one who left
    assertThat(behind.waits()).as("60 s are enough for a slot in 5 s: " + behind).isTrue();
    cursor.grant(1, 5_000_000_000L, 5_000_000_000L, 2);
    world.pass(Duration.ofSeconds(5));
    assertThat(behind.passed()).isTrue();
  }

  @DisplayName("a refusal of a costly call is no refusal of a cheap urgent one that came meanwhile")
  @Test
  void theCostOfOneIsNotHeldAgainstAnother() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(15).burst(6)).build();
    Caller costly = world.call(pacer, Call.of(6).maxWait(World.seconds(0.6)));
    Caller urgent = world.call(pacer, Call.ONE.priority(Priority.URGENT).maxWait(World.seconds(0.5)));
    cursor.refuse(700_000_000L); // six in a row are due in 0.7 s; the first of them in 0.2 s
    assertThat(urgent.waits()).as("0.5 s are enough for a slot in 0.2 s: " + urgent).isTrue();
    cursor.grant(1, 200_000_000, 200_000_000, 1);
    world.pass(World.seconds(0.6));
    assertThat(urgent.waited).isEqualTo(World.seconds(0.2));
    cursor.refuse(700_000_000L);
    assertThat(costly.refusal()).isNotNull();
  }

  @DisplayName("the same where pressure has made the interval twice as long as the claim's")
  @Test
  void norIsItAtAWidenedPace() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(30).burst(6)).build();
    world.call(pacer, Call.of(6).maxWait(World.seconds(0.6)));
    Caller urgent = world.call(pacer, Call.ONE.priority(Priority.URGENT).maxWait(World.seconds(0.45)));
    cursor.refuseWidened(700_000_000L, 1); // six in a row, now 80 ms apart: the first is due in 0.3 s
    assertThat(urgent.waits()).as("0.45 s are enough for a slot in 0.3 s: " + urgent).isTrue();
  }

  @Test
  void aBudgetIsOnlyEverShortenedByTheLongestWait() {
    Pacer pacer = world.builder().longestWait(Duration.ofSeconds(10)).maxWait(Duration.ofSeconds(5))
        .defaultPace(Pace.of(1, Duration.ofSeconds(8))).build();
    world.call(pacer);
    assertThat(world.call(pacer).refusal().maxWait()).isEqualTo(Duration.ofSeconds(5));
    assertThat(world.call(pacer, Call.ONE.maxWait(Duration.ofHours(1))).waits()).isTrue();
    assertThat(world.call(pacer, Call.ONE.maxWait(Duration.ofHours(1))).refusal().maxWait()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void aCursorThatFailsFailsTheCallsThatWait() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(10)).build();
    List<Caller> calls = world.calls(pacer, 3);
    cursor.fail(new CursorException("gone", null));
    assertThat(calls).allSatisfy(call -> assertThat(call.error).isInstanceOf(CursorException.class));
    Caller next = world.call(pacer);
    cursor.grant(1, 0, 0, 1);
    assertThat(next.passed()).isTrue();
  }

  @DisplayName("a cursor that breaks its contract fails the calls of the moment, not those to come")
  @ParameterizedTest
  @ValueSource(strings = {"throws", "is empty"})
  void aCursorThatMisbehavesDoesNotStopTheLane(String how) {
    List<String> faults = new ArrayList<>(List.of(how));
    Cursor cursor = new Wrapped(world.cursor) {
      @Override
      public Mono<Grant> take(Claim claim) {
        if (faults.isEmpty()) {
          return super.take(claim);
        }
        if (faults.remove(0).equals("throws")) {
          throw new IllegalStateException("not at the right time");
        }
        return Mono.empty();
      }
    };
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(10)).build();
    assertThat(world.call(pacer).error).isInstanceOf(RuntimeException.class);
    assertThat(world.call(pacer).waited).isZero();
    world.pass(Duration.ofSeconds(1));
    assertThat(pacer.size()).isZero();
  }

  @DisplayName("C016: a wait that was never: no negative duration, nothing thrown, and told to the listener")
  @ParameterizedTest
  @ValueSource(longs = {-5_000_000_000L, Long.MIN_VALUE, Long.MIN_VALUE + 1})
  void aSlotInThePastIsNow(long wait) {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(10)).build();
    Caller call = world.call(pacer);
    cursor.grant(1, wait, 0, 1);
    assertThat(call.waited).isZero();
    assertThat(world.heard.anomalies).hasSize(1);
  }

  @DisplayName("C016: a wait for ever is a refusal, not an overflow")
  @Test
  void aSlotFarInTheFutureIsARefusal() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(10)).build();
    Caller call = world.call(pacer);
    cursor.grant(1, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
    assertThat(call.refusal().waitNeeded()).isGreaterThan(Duration.ofDays(3_000));
    assertThat(world.heard.anomalies).hasSize(1);
    Caller second = world.call(pacer);
    assertThat(second.at).as("ends at some time").isLessThan(Long.MAX_VALUE);
    world.pass(Duration.ofSeconds(400));
    assertThat(second.waits()).isFalse();
  }
}
