package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What a hostile reader found: each of these failed once. */
class HostileTest {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final World world = new World();

  @DisplayName("P3: threads of the callers that are busy for two seconds give no burst afterwards")
  @ParameterizedTest
  @ValueSource(doubles = {7, 20, 100, 1_000})
  void busyCallersAreNoBurst(double perSecond) {
    StubbornScheduler clock = new StubbornScheduler(world.time);
    Pace pace = Pace.perSecond(perSecond);
    Pacer pacer = world.builder().scheduler(clock).defaultPace(pace).build();
    List<Window.Spent> line = new ArrayList<>();
    for (int i = 0; i < perSecond * 5; i++) {
      pacer.reserve(World.KEY).subscribe(waited -> line.add(new Window.Spent(world.now(), 1)));
    }
    world.pass(World.seconds(0.5));
    clock.holdBackHandOvers();
    world.pass(Duration.ofSeconds(2));
    clock.letGo();
    world.pass(Duration.ofSeconds(1));
    assertThat(Window.violation(line, pace.gcra(), 3 * Spacing.SLACK)).isEmpty();
  }

  @DisplayName("P3: an answer that lay about is old for all the keys it was for, not only for the first")
  @Test
  void aLateAnswerIsLateForAllItsKeys() {
    long late = 400_000_000;
    RoundTrips trips = new RoundTrips(100_000_000);
    trips.age(1_000_000);
    assertThat(List.of(trips.age(late), trips.age(late), trips.age(late))).containsOnly(late);
    assertThat(trips.age(2_000_000)).isZero();
  }

  @DisplayName("P8: 50 000 wait when the scheduler is disposed of; closing ends them all")
  @Test
  void manyWaitWhenTheSchedulerIsDisposedOf() {
    Scheduler own = Schedulers.newSingle("own");
    Pacer pacer = Pacer.builder().scheduler(own).defaultPace(Pace.perSecond(200)).build();
    AtomicInteger ended = new AtomicInteger();
    for (int i = 0; i < 50_000; i++) {
      pacer.reserve(World.KEY).subscribe(waited -> ended.incrementAndGet(), error -> ended.incrementAndGet());
    }
    own.dispose();
    pacer.close();
    pacer.whenClosed().block(PATIENCE);
    assertThat(ended).hasValue(50_000);
  }

  @DisplayName("P8: a caller that throws, on a scheduler that is disposed of, keeps nobody waiting")
  @Test
  void aCallerThatThrowsWhereThereIsNoScheduler() {
    Scheduler own = Schedulers.newSingle("own");
    Pacer pacer = Pacer.builder().scheduler(own).defaultPace(Pace.perSecond(1)).build();
    pacer.reserve(World.KEY).block(PATIENCE);
    AtomicInteger ended = new AtomicInteger();
    for (int i = 0; i < 5; i++) {
      pacer
          .reserve(World.KEY)
          .subscribe(
              waited -> {},
              error -> {
                ended.incrementAndGet();
                throw new IllegalStateException("a caller's own fault");
              });
    }
    own.dispose();
    try {
      pacer.close();
    } catch (IllegalStateException itsOwn) {
      assertThat(itsOwn).hasMessage("a caller's own fault");
    }
    assertThat(ended).hasValue(5);
    pacer.whenClosed().block(PATIENCE);
  }

  @DisplayName("a grace on a scheduler that is disposed of: closed all the same")
  @Test
  void aGraceWithoutATimer() {
    Scheduler own = Schedulers.newSingle("own");
    Pacer pacer =
        Pacer.builder().scheduler(own).closeGrace(Duration.ofSeconds(1)).defaultPace(Pace.perSecond(1)).build();
    AtomicInteger ended = new AtomicInteger();
    for (int i = 0; i < 4; i++) {
      pacer.reserve(World.KEY).subscribe(waited -> ended.incrementAndGet(), error -> ended.incrementAndGet());
    }
    own.dispose();
    pacer.close();
    pacer.whenClosed().block(PATIENCE);
    assertThat(ended).hasValue(4);
  }

  @DisplayName("P8, P14: a fault of the JVM in a lane's work does not shut the key for ever")
  @Test
  void aFaultInALanesWorkIsNotForEver() {
    AtomicBoolean faulty = new AtomicBoolean();
    Pace pace = Pace.perSecond(100);
    Pacer pacer =
        Pacer.builder()
            .paces(
                key -> {
                  if (Thread.currentThread().getName().startsWith("pacer-timer") && faulty.compareAndSet(true, false)) {
                    throw new NoClassDefFoundError("once");
                  }
                  return pace;
                })
            .build();
    pacer.reserve(World.KEY).block(PATIENCE);
    faulty.set(true);
    for (int i = 0; i < 5; i++) {
      pacer.reserve(World.KEY).onErrorResume(NoClassDefFoundError.class, fault -> Mono.empty()).block(PATIENCE);
    }
    pacer.close();
  }

  @DisplayName("a call that races with close is told that the pacer is closed, and nothing else")
  @Test
  void whoRacesWithCloseIsToldSo() throws InterruptedException {
    for (int round = 0; round < 300; round++) {
      Pacer pacer = Pacer.builder().defaultPace(Pace.perSecond(2_000)).build();
      AtomicReference<Throwable> odd = new AtomicReference<>();
      AtomicInteger ended = new AtomicInteger();
      CountDownLatch all = new CountDownLatch(4);
      for (int t = 0; t < 4; t++) {
        new Thread(
                () -> {
                  for (int i = 0; i < 500; i++) {
                    pacer
                        .reserve("key" + i % 5)
                        .subscribe(
                            waited -> ended.incrementAndGet(),
                            error -> {
                              if (!(error instanceof PacerClosedException)) {
                                odd.set(error);
                              }
                              ended.incrementAndGet();
                            });
                  }
                  all.countDown();
                })
            .start();
      }
      TimeUnit.MILLISECONDS.sleep(round % 7);
      pacer.close();
      assertThat(all.await(5, TimeUnit.SECONDS)).isTrue();
      pacer.whenClosed().block(PATIENCE);
      assertThat(odd).hasValue(null);
    }
  }

  @DisplayName("timers that ring a millisecond late cost next to none of the pace: lateness does not add up")
  @ParameterizedTest
  @ValueSource(doubles = {7, 20, 50, 90, 100, 101, 500, 1_000})
  void lateTimersDoNotAddUp(double perSecond) {
    Pace pace = Pace.perSecond(perSecond);
    Pacer pacer = world.builder().scheduler(new Tardy(world.time)).defaultPace(pace).build();
    AtomicInteger passed = new AtomicInteger();
    for (int i = 0; i < perSecond * 30; i++) {
      pacer.reserve(World.KEY).subscribe(waited -> passed.incrementAndGet());
    }
    world.pass(Duration.ofSeconds(20));
    assertThat(passed.get() / (perSecond * 20)).isBetween(0.97, 1.01);
  }

  @DisplayName("P14: a call without a priority fails alone")
  @Test
  void noPriorityIsRefusedAndTripsNothing() {
    Pacer pacer = world.pacer(Pace.perSecond(100));
    Throwable refused = null;
    try {
      world.call(pacer, Call.ONE.priority(nothing()));
    } catch (IllegalArgumentException | NullPointerException itsOwn) {
      refused = itsOwn;
    }
    Caller other = world.call(pacer);
    world.pass(Duration.ofSeconds(1));
    assertThat(other.passed()).isTrue();
    assertThat(refused).isInstanceOf(IllegalArgumentException.class);
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // as a caller without a null checker may
  private static <T> T nothing() {
    return null;
  }

  /** Rings a millisecond late. */
  private record Tardy(Scheduler time) implements Scheduler {

    @Override
    public Disposable schedule(Runnable task) {
      return time.schedule(task);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
      return time.schedule(task, unit.toNanos(delay) + 1_000_000, TimeUnit.NANOSECONDS);
    }

    @Override
    public long now(TimeUnit unit) {
      return time.now(unit);
    }

    @Override
    public Worker createWorker() {
      return time.createWorker();
    }
  }

  @DisplayName("P8: a call that comes back from a shut gate in the midst of a step takes nobody else away")
  @Test
  void aCallThatComesBackInTheMidstOfAStepTakesNobodyAway() {
    StubbornScheduler clock = new StubbornScheduler(world.time);
    ScriptedCursor cursor = new ScriptedCursor();
    PacerListener goesOnMeanwhile =
        new PacerListener() {
          @Override
          public void shut(String key, Duration remaining, int strikes, boolean fresh) {
            clock.letGo();
          }
        };
    Pacer pacer =
        Pacer.builder().scheduler(clock).cursor(cursor).noFallback().listener(goesOnMeanwhile).defaultPace(Pace.perSecond(10)).build();
    Caller returns = World.call(clock, pacer, Call.ONE.maxWait(Duration.ofMillis(1_500)));
    Caller hopeless = World.call(clock, pacer, Call.ONE.maxWait(Duration.ofSeconds(1)));
    Caller patient = World.call(clock, pacer, Call.ONE.maxWait(Duration.ofSeconds(3)));
    clock.holdBackHandOvers();
    cursor.grant(1, 0, 1_000_000_000, 1);
    world.pass(Duration.ofMillis(2)); // the first has its slot, and its thread is busy
    cursor.refuseShut(Duration.ofSeconds(2).toNanos());
    assertThat(hopeless.refusal().waitNeeded()).isPositive();
    assertThat(returns.refusal().waitNeeded()).isPositive();
    world.pass(Duration.ofMillis(2_100));
    assertThat(cursor.lastClaim().permits()).isEqualTo(1);
    cursor.grant(1, 0, 4_000_000_000L, 2);
    world.pass(Duration.ofMillis(1));
    assertThat(patient.waited).isNotNull();
  }

  @DisplayName("P8: a cursor that returns null fails the calls of the moment, and not those of later")
  @Test
  void aCursorThatReturnsNullIsAskedAgain() {
    AtomicBoolean faulty = new AtomicBoolean(true);
    Cursor cursor =
        new Wrapped(world.cursor) {
          @Override
          public Mono<Grant> take(Claim claim) {
            return faulty.getAndSet(false) ? nothing() : super.take(claim);
          }

          @SuppressWarnings("NullAway")
          private Mono<Grant> nothing() {
            return null;
          }
        };
    Pacer pacer = world.builder().cursor(cursor).noFallback().defaultPace(Pace.perSecond(10)).build();
    assertThat(world.call(pacer).error).hasMessageContaining("returned null");
    assertThat(world.call(pacer).waited).isNotNull();
  }

  @DisplayName("P14: a grant that makes no sense fails the calls of the moment, and is not asked for again and again")
  @Test
  @SuppressWarnings("NullAway")
  void aGrantWithoutSenseIsAskedForOnce() {
    ScriptedCursor cursor = new ScriptedCursor();
    cursor.answers(
        claim ->
            Mono.delay(Duration.ofMillis(1), world.time)
                .map(later -> new Cursor.Grant(1, 0, 1_000_000_000, claim.gcra(), 1, false, null, 0)));
    Pacer pacer = world.builder().cursor(cursor).noFallback().defaultPace(Pace.perSecond(10)).build();
    Caller caller = world.call(pacer);
    world.pass(Duration.ofSeconds(5));
    assertThat(caller.error).isInstanceOf(NullPointerException.class);
    assertThat(cursor.claims).hasSize(1);
  }
}
