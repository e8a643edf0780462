package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.pacer.CursorException.Extent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Processes that lose the shared cursor, and find it again. */
class FallbackTest {

  private static final String KEY = "api.example.com";
  private static final Pace PACE = Pace.perSecond(12);

  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final LocalCursor shared = new LocalCursor(time, Wire.SHARED_CLOCK);
  private final List<Process> processes = new ArrayList<>();
  private Fallback fallback = Fallback.DEFAULT;

  /** One process, its wire, and what its pacer said. */
  private final class Process {
    final Wire wire = new Wire(shared, Duration.ofNanos(500_000), time);
    final List<String> said = new ArrayList<>();
    final Pacer pacer =
        Pacer.builder()
            .scheduler(time)
            .cursor(wire)
            .defaultPace(PACE)
            .backoff(Backoff.DEFAULT.jitter(Duration.ZERO).widening(0, 20, true))
            .fallback(fallback)
            .listener(
                new PacerListener() {
                  @Override
                  public void degraded(@Nullable String key, Throwable why) {
                    said.add(key == null ? "degraded" : "degraded for " + key);
                  }

                  @Override
                  public void recovered(Duration away, long claims) {
                    said.add("recovered");
                  }
                })
            .build();

    Process() {
      processes.add(this);
    }

    Caller call() {
      return call(Call.ONE);
    }

    Caller call(Call call) {
      Caller caller = Caller.of(time);
      pacer.reserve(KEY, call).subscribe(caller);
      return caller;
    }

    List<Caller> calls(int n) {
      return Stream.generate(this::call).limit(n).toList();
    }

    /** Has asked the shared cursor once, and counted the processes. */
    Process met() {
      call();
      pass(Duration.ofSeconds(1));
      return this;
    }
  }

  private void pass(Duration duration) {
    time.advanceTimeBy(duration);
  }

  private void pass(double seconds) {
    pass(Duration.ofNanos(Math.round(seconds * 1e9)));
  }

  private void all(Wire.State state) {
    processes.forEach(
        process -> {
          if (state == Wire.State.UP) {
            process.wire.up();
          } else {
            process.wire.state = state;
          }
        });
  }

  private List<Process> fleet(int n) {
    List<Process> fleet = Stream.generate(Process::new).limit(n).toList();
    fleet.forEach(process -> process.wire.processes = n);
    fleet.forEach(Process::call);
    pass(2);
    return fleet;
  }

  private static long passed(List<Caller> calls) {
    return calls.stream().filter(Caller::passed).count();
  }

  private static List<Long> times(List<Caller> calls) {
    return calls.stream().filter(Caller::passed).map(call -> call.at).sorted().toList();
  }

  private static long least(List<Long> times) {
    return IntStream.range(1, times.size()).mapToLong(i -> times.get(i) - times.get(i - 1)).min().orElse(Long.MAX_VALUE);
  }

  private static int peak(List<Long> times, Duration window) {
    int most = 0;
    for (int from = 0, to = 0; to < times.size(); to++) {
      while (times.get(to) - times.get(from) >= window.toNanos()) {
        from++;
      }
      most = Math.max(most, to - from + 1);
    }
    return most;
  }

  @Test
  @DisplayName("C086: without the database each of four processes has a quarter, and together they keep the pace")
  void eachProcessHasItsShare() {
    List<Process> fleet = fleet(4);
    all(Wire.State.CUT);
    List<List<Caller>> calls = fleet.stream().map(process -> process.calls(200)).toList();
    pass(10);
    assertThat(calls).allSatisfy(own -> assertThat(passed(own)).isBetween(29L, 31L));
    assertThat(fleet).allSatisfy(process -> assertThat(process.pacer.isDegraded()).isTrue());
    assertThat(fleet).allSatisfy(process -> assertThat(process.said).containsExactly("degraded"));
  }

  @Test
  void moreProcessesThanWereCountedCanBeConfigured() {
    fallback = Fallback.DEFAULT.maxProcesses(12);
    Process process = new Process().met();
    all(Wire.State.CUT);
    List<Caller> calls = process.calls(100);
    pass(10.01);
    assertThat(passed(calls)).isEqualTo(11);
  }

  @Test
  void withoutAnyCountTheFleetIsTakenToBeEight() {
    Process process = new Process();
    all(Wire.State.CUT);
    List<Caller> calls = process.calls(100);
    pass(8);
    assertThat(passed(calls)).isEqualTo(12);
  }

  @Test
  @DisplayName("C071: when answers stay away no call waits longer than the patience for that, and the next not at all")
  void patienceIsShortAndOnlyNeededOnce() {
    Process process = new Process().met();
    all(Wire.State.SILENT);
    Caller first = process.call();
    pass(0.99);
    assertThat(first.waits()).isTrue();
    pass(0.01);
    assertThat(first.passed()).isTrue();
    pass(1);
    Caller second = process.call();
    assertThat(second.waited).isEqualTo(Duration.ZERO);
  }

  @Test
  void answersThatLayAboutWhileTheProcessWasStoppedAreRead() {
    Stopped clock = new Stopped(time);
    List<String> overdue = new ArrayList<>();
    Overdue watch = new Overdue(Duration.ofSeconds(1).toNanos(), () -> time.now(TimeUnit.NANOSECONDS), clock);
    clock.late = Duration.ofSeconds(9);
    watch.watch(new Question("asked before", overdue));
    pass(10.2);
    assertThat(overdue).isEmpty();
    pass(1);
    assertThat(overdue).containsExactly("asked before");
  }

  /** A timer of a process that is stopped: what should ring meanwhile rings when it goes on. */
  private static final class Stopped implements Scheduler {
    private final Scheduler real;
    Duration late = Duration.ZERO;

    Stopped(Scheduler real) {
      this.real = real;
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
      Duration more = late;
      late = Duration.ZERO;
      return real.schedule(task, unit.toNanos(delay) + more.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public Disposable schedule(Runnable task) {
      return real.schedule(task);
    }

    @Override
    public Worker createWorker() {
      return real.createWorker();
    }
  }

  private record Question(String name, List<String> overdueOnes) implements Overdue.Question {
    @Override
    public long askedAt() {
      return 0;
    }

    @Override
    public boolean isAnswered() {
      return false;
    }

    @Override
    public void overdue() {
      overdueOnes.add(name);
    }
  }

  @Test
  @DisplayName("C072: an outage of 60 s costs one question a latch, however many calls there are")
  void oneQuestionALatch() {
    Process process = new Process().met();
    int claims = process.wire.claims.size();
    int checkIns = process.wire.checkIns;
    all(Wire.State.CUT);
    for (int i = 0; i < 6_000; i++) {
      process.call(Call.ONE.maxWait(Duration.ZERO));
      pass(0.01);
    }
    assertThat(process.wire.claims).hasSizeLessThanOrEqualTo(claims + 1);
    assertThat(process.wire.checkIns - checkIns).isBetween(11, 13);
    assertThat(process.said).containsExactly("degraded");
  }

  @Test
  void aThousandThatWaitDoNotAllAskWhenTheLatchIsOver() {
    Process process = new Process().met();
    all(Wire.State.CUT);
    List<Caller> calls = process.calls(1_000);
    pass(30);
    assertThat(process.wire.claims).hasSizeLessThanOrEqualTo(2);
    assertThat(passed(calls)).isBetween(119L, 122L);
  }

  @Test
  @DisplayName("C070: calls share the cursor again one latch after it is back, and say so once")
  void sharedAgain() {
    Process process = new Process().met();
    all(Wire.State.CUT);
    List<Caller> calls = process.calls(200);
    pass(7);
    all(Wire.State.UP);
    pass(5);
    assertThat(process.pacer.isDegraded()).isFalse();
    long before = passed(calls);
    pass(5);
    assertThat(passed(calls) - before).isBetween(59L, 61L);
    assertThat(process.said).containsExactly("degraded", "recovered");
  }

  @Test
  void whatWasSpentAloneIsNotSpentAgain() {
    List<Process> fleet = fleet(3);
    all(Wire.State.CUT);
    List<Caller> calls = new ArrayList<>();
    fleet.forEach(process -> calls.addAll(process.calls(300)));
    pass(7);
    all(Wire.State.UP);
    pass(20);
    List<Long> times = times(calls);
    long back = times.get(0) + Duration.ofSeconds(11).toNanos();
    assertThat(peak(times, Duration.ofSeconds(1))).isLessThanOrEqualTo(15); // 3 × ⌈1 s / 250 ms⌉ + those at the seam
    assertThat(peak(times, Duration.ofSeconds(5))).isLessThanOrEqualTo(63);
    assertThat(least(times.stream().filter(at -> at > back).toList())).isGreaterThanOrEqualTo(83_000_000L);
  }

  @Test
  void aDatabaseThatComesAndGoesEachSecondDoesNotRaiseTheRate() {
    fallback = Fallback.DEFAULT.latch(Duration.ofMillis(700));
    List<Process> fleet = fleet(3);
    List<Caller> calls = new ArrayList<>();
    fleet.forEach(process -> calls.addAll(process.calls(700)));
    for (int i = 0; i < 60; i++) {
      all(i % 2 == 0 ? Wire.State.CUT : Wire.State.UP);
      pass(1);
    }
    List<Long> times = times(calls);
    assertThat(times).hasSizeBetween(500, 720 + 3);
    assertThat(peak(times, Duration.ofSeconds(10))).isLessThanOrEqualTo(120 + 6);
  }

  @Test
  void slotsInHandAreUsed() {
    Process process = new Process().met();
    List<Caller> calls = process.calls(3);
    pass(0.01); // the first has its slot, and the second a slot that is not due
    all(Wire.State.CUT);
    pass(0.09);
    assertThat(passed(calls)).isEqualTo(2);
    assertThat(process.wire.refunds).isEmpty();
  }

  @Test
  void whoComesBackDoesNotWaitForASlotOfTheSlowerPace() {
    fallback = Fallback.DEFAULT.maxProcesses(120);
    Process process = new Process().met();
    all(Wire.State.CUT);
    List<Caller> calls = process.calls(20);
    pass(4.99);
    assertThat(passed(calls)).isOne();
    all(Wire.State.UP);
    pass(0.1);
    assertThat(process.pacer.isDegraded()).isFalse();
    pass(10);
    assertThat(passed(calls)).isEqualTo(20);
    assertThat(least(times(calls))).isGreaterThanOrEqualTo(83_000_000L);
  }

  @Test
  void anAnswerThatComesTooLateIsGivenBackAndShowsThatTheCursorIsThere() {
    Process process = new Process().met();
    all(Wire.State.HELD);
    Caller call = process.call();
    pass(2);
    assertThat(call.passed()).isTrue();
    long ahead = shared.peek(KEY).block().aheadNanos();
    process.wire.up();
    pass(0.01);
    assertThat(process.wire.refunds).hasSize(1);
    assertThat(shared.peek(KEY).block().aheadNanos()).isLessThan(ahead - 83_000_000);
    assertThat(process.pacer.isDegraded()).isFalse();
  }

  @Test
  @DisplayName("P6: a cooldown is known from the answer on that tells of it, even if nobody waits for that any more")
  void aCooldownInAnAnswerThatComesTooLateIsHeardOf() {
    Process process = new Process().met();
    long told = Duration.ofSeconds(100).toNanos();
    shared.coolDown(new Cursor.Stop(KEY, told, Cursor.Stop.UNKNOWN, /* jitterNanos= */ 0, Backoff.DEFAULT)).block();
    all(Wire.State.HELD);
    List<Caller> calls = process.calls(50);
    pass(2);
    assertThat(passed(calls)).isPositive();
    process.wire.up();
    assertThat(process.pacer.inCooldown(KEY)).isTrue();
  }

  @Test
  @DisplayName("C071: what was under way for long when the cursor is back says nothing of how the clocks stand")
  void aQuestionThatWasStuckDoesNotSetTheClocks() {
    Process process = new Process().met();
    all(Wire.State.STUCK);
    List<Caller> calls = process.calls(300);
    pass(20);
    long before = passed(calls);
    process.wire.up();
    pass(2);
    assertThat(process.pacer.isDegraded()).isFalse();
    assertThat(passed(calls) - before).isBetween(20L, 25L);
  }

  @Test
  @DisplayName("C076: a cursor that is back, but of no use, is said to be so, once, and not silently done without")
  void aSetUpThatIsWrongIsToldInAnOutage() {
    Process process = new Process().met();
    all(Wire.State.CUT);
    process.calls(5);
    pass(2);
    process.wire.cause = new CursorException("no such table", null, Extent.CALL);
    pass(60);
    assertThat(process.pacer.isDegraded()).isTrue();
    assertThat(process.said).containsExactly("degraded", "degraded");
  }

  @Test
  void anErrorAboutTheDataFailsOneCallAndLatchesNothing() {
    Process process = new Process().met();
    process.wire.cause = new CursorException("a bad number", null, Extent.CALL);
    all(Wire.State.CUT);
    Caller bad = process.call();
    pass(0.01);
    assertThat(bad.error).hasMessage("a bad number");
    all(Wire.State.UP);
    Caller good = process.call();
    pass(1);
    assertThat(good.passed()).isTrue();
    assertThat(process.said).isEmpty();
  }

  @Test
  @DisplayName("C078: a key whose row is locked is paced by this process, and other keys are not")
  void aLockedKeyIsOneLockedKey() {
    Process process = new Process().met();
    process.wire.cause = new CursorException("locked", null, Extent.KEY);
    process.wire.badKey = KEY;
    List<Caller> calls = process.calls(100);
    Caller other = Caller.of(time);
    process.pacer.reserve("other").subscribe(other);
    pass(4.9);
    assertThat(passed(calls)).isBetween(19L, 21L);
    assertThat(other.passed()).isTrue();
    assertThat(process.pacer.isDegraded()).isFalse();
    assertThat(process.wire.claims.stream().filter(claim -> claim.key().equals(KEY))).hasSize(2);
    process.wire.badKey = null;
    pass(1);
    long before = passed(calls);
    pass(5);
    assertThat(passed(calls) - before).isBetween(55L, 61L);
    assertThat(process.said).containsExactly("degraded for " + KEY);
  }

  @Test
  void aCooldownThatIsKnownStaysInForceAndStrikesGoOn() {
    Process process = new Process().met();
    process.pacer.coolDown(KEY, null);
    pass(1);
    all(Wire.State.CUT);
    Caller call = process.call();
    pass(28.9);
    assertThat(call.waits()).isTrue();
    pass(2);
    assertThat(call.passed()).isTrue();
    process.pacer.coolDown(KEY, null);
    assertThat(process.pacer.remaining(KEY)).isEqualTo(Duration.ofSeconds(60));
    assertThat(process.pacer.gate(KEY).strikes()).isEqualTo(2);
  }

  @Test
  void aCooldownLearntAloneIsToldToTheOthers() {
    List<Process> fleet = fleet(2);
    all(Wire.State.CUT);
    Process first = fleet.get(0);
    first.call();
    pass(6);
    assertThat(first.pacer.isDegraded()).isTrue();
    first.pacer.coolDown(KEY, Duration.ofSeconds(100));
    pass(3);
    all(Wire.State.UP);
    pass(6);
    Caller there = fleet.get(1).call();
    pass(1);
    assertThat(there.waits()).isTrue();
    assertThat(fleet.get(1).pacer.remaining(KEY)).isBetween(Duration.ofSeconds(89), Duration.ofSeconds(91));
    int told = first.wire.stops.size();
    pass(30);
    assertThat(first.wire.stops).hasSize(told);
  }

  @Test
  void aCooldownThatIsOverBeforeTheOthersCouldHearOfItIsNotTold() {
    Process process = new Process().met();
    all(Wire.State.CUT);
    process.call();
    pass(1);
    process.pacer.coolDown(KEY, Duration.ofSeconds(2));
    pass(5);
    all(Wire.State.UP);
    pass(20);
    assertThat(process.wire.stops).isEmpty();
  }

  @Test
  void aSliceKeepsEverybodyTogetherAtThePaceWhoeverIsCutOff() {
    fallback = Fallback.DEFAULT.slice(0.25);
    List<Process> fleet = fleet(4);
    fleet.get(0).wire.state = Wire.State.CUT;
    fleet.get(1).wire.state = Wire.State.CUT;
    List<Caller> calls = new ArrayList<>();
    fleet.forEach(process -> calls.addAll(process.calls(500)));
    pass(20);
    // 9/s shared, and 3/s set aside, of which two of four processes use half
    assertThat(times(calls)).hasSizeBetween(200, 212);
    all(Wire.State.CUT);
    pass(10);
    long before = passed(calls);
    pass(20);
    assertThat(passed(calls) - before).isBetween(58L, 62L);
  }

  @Test
  void withoutASliceHalfAFleetThatIsCutOffStaysBelowTwiceThePace() {
    List<Process> fleet = fleet(4);
    fleet.get(0).wire.state = Wire.State.CUT;
    fleet.get(1).wire.state = Wire.State.CUT;
    List<Caller> calls = new ArrayList<>();
    fleet.forEach(process -> calls.addAll(process.calls(500)));
    pass(20);
    assertThat(times(calls)).hasSizeBetween(350, 364); // 12/s and 2 × 3/s
  }

  @Test
  void aCallThatCostsMoreThanTheShareOfTheBurstIsServedAllTheSame() {
    fallback = Fallback.DEFAULT.maxProcesses(4);
    Process process = new Process();
    process.pacer.pace(KEY, Pace.perSecond(17).burst(6)); // slots 1/12 s apart
    process.call(Call.of(6));
    pass(3);
    all(Wire.State.CUT);
    List<Caller> calls = Stream.generate(() -> process.call(Call.of(6))).limit(5).toList();
    pass(10);
    assertThat(passed(calls)).isEqualTo(5);
    assertThat(least(times(calls))).isGreaterThanOrEqualTo(2_000_000_000L - 100);
  }

  @Test
  void startingWithoutTheCursorCanBeForbidden() {
    fallback = Fallback.DEFAULT.startsWithout(false);
    Process process = new Process();
    all(Wire.State.CUT);
    Caller first = process.call();
    pass(0.01);
    assertThat(first.error).isInstanceOf(CursorException.class);
    pass(1);
    Caller meanwhile = process.call();
    pass(0.01);
    assertThat(meanwhile.error).isInstanceOf(CursorException.class);
    all(Wire.State.UP);
    pass(5.1);
    Caller second = process.call();
    pass(0.01);
    assertThat(second.passed()).isTrue();
    all(Wire.State.CUT);
    List<Caller> later = process.calls(2);
    pass(2);
    assertThat(passed(later)).isEqualTo(2);
  }

  @Test
  void nothingIsKeptOfKeysThatNobodyUsesAnyMore() {
    Process process = new Process().met();
    all(Wire.State.CUT);
    for (int i = 0; i < 1_000; i++) {
      process.pacer.reserve("key " + i).subscribe();
    }
    pass(60);
    all(Wire.State.UP);
    pass(60);
    assertThat(process.pacer.size()).isZero();
  }

  @Test
  void settingsThatAreNoneAreRefused() {
    assertThatThrownBy(() -> Fallback.DEFAULT.maxProcesses(-1)).hasMessage("maxProcesses must be 0 to 100000, was -1");
    assertThatThrownBy(() -> Fallback.DEFAULT.slice(1)).hasMessage("slice must be at least 0 and below 1, was 1.0");
    assertThatThrownBy(() -> Fallback.DEFAULT.slice(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Fallback.DEFAULT.latch(Duration.ZERO))
        .hasMessage("latch must be at least PT0.01S and at most PT1H, was PT0S");
    assertThatThrownBy(() -> Fallback.DEFAULT.heartbeat(Duration.ofDays(1))).isInstanceOf(IllegalArgumentException.class);
    assertThat(Fallback.DEFAULT.heartbeat(Duration.ZERO).heartbeat()).isZero();
  }

  @Test
  void theWarningSaysAtWhichShareItPacesItselfAndWhetherThatIsAGuess() {
    try (Logged logged = new Logged()) {
      Process never = new Process();
      never.wire.state = Wire.State.CUT;
      never.call();
      pass(Duration.ofSeconds(2));
      assertThat(logged.of(Level.WARN)).hasSize(1);
      assertThat(logged.of(Level.WARN).get(0))
          .startsWith("The cursor has not been reached yet, this process paces itself at 1/8 of the pace (a guess: set maxProcesses). ");
      logged.forget();
      fallback = Fallback.DEFAULT.maxProcesses(3).slice(0.25);
      Process met = new Process().met();
      met.wire.state = Wire.State.CUT;
      pass(Duration.ofMinutes(1));
      met.call();
      pass(Duration.ofSeconds(2));
      assertThat(logged.of(Level.WARN)).hasSize(1);
      assertThat(logged.of(Level.WARN).get(0))
          .startsWith("Degraded: the cursor cannot be asked, this process paces itself at 0.25/3 of the pace. ");
    }
  }
}
