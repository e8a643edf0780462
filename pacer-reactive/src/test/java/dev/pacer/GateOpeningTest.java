package dev.pacer;

import static dev.pacer.GateWorld.KEY;
import static dev.pacer.GateWorld.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@link Pacer#whenOpen}: who waits for a gate and not for a slot. */
class GateOpeningTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final GateWorld world = new GateWorld();
  private final Pacer pacer = world.pacer(10);

  private Watcher watch(Pacer pacer) {
    return Watcher.of(pacer.whenOpen(KEY), world.time);
  }

  @Test
  void anOpenGateIsOpenAtOnceAndNothingIsKept() {
    assertThat(watch(pacer).at).isEqualTo(world.now());
    assertThat(pacer.size()).isZero();
    world.call(pacer);
    assertThat(watch(pacer).at).as("with a lane, too").isEqualTo(world.now());
  }

  @Test
  void aShutOneIsWaitedForToTheNanosecond() {
    pacer.coolDown(KEY, seconds(20));
    long opens = world.now() + seconds(20).toNanos();
    Watcher watcher = watch(pacer);
    world.pass(seconds(20).minusNanos(1));
    assertThat(watcher.waits()).isTrue();
    world.pass(1);
    assertThat(watcher.at).isEqualTo(opens);
  }

  @Test
  void anExtendedCooldownIsWaitedForToItsEndWithOneTimer() {
    pacer.coolDown(KEY, seconds(20));
    Watcher watcher = watch(pacer);
    world.pass(10);
    long timers = world.time.getScheduledTaskCount();
    for (int i = 1; i <= 100; i++) {
      pacer.coolDown(KEY, seconds(20 + i));
    }
    assertThat(world.time.getScheduledTaskCount()).isEqualTo(timers);
    long opens = world.now() + seconds(120).toNanos();
    world.pass(119);
    assertThat(watcher.waits()).isTrue();
    world.pass(5);
    assertThat(watcher.at).isEqualTo(opens);
  }

  @Test
  void theLaneIsWokenToTheNanosecondTooHoweverOftenItIsExtended() {
    pacer.coolDown(KEY, seconds(20));
    GateCall call = world.call(pacer);
    world.pass(19);
    pacer.coolDown(KEY, seconds(20));
    long opens = world.now() + seconds(20).toNanos();
    world.pass(60);
    assertThat(call.at).isEqualTo(opens);
  }

  @Test
  void whatAnotherProcessWasToldCountsOnceItIsKnownHere() {
    world.pacer(10).coolDown(KEY, seconds(20));
    assertThat(watch(pacer).waits()).as("nobody here knows yet").isFalse();
    world.call(pacer);
    Watcher watcher = watch(pacer);
    world.pass(19.9);
    assertThat(watcher.waits()).isTrue();
    world.pass(0.1);
    assertThat(watcher.completed()).isTrue();
  }

  @Test
  void itIsColdAndEachSubscriptionLooksAnew() {
    Mono<Void> open = pacer.whenOpen(KEY);
    pacer.coolDown(KEY, seconds(20));
    Watcher first = Watcher.of(open, world.time);
    world.pass(20);
    assertThat(first.completed()).isTrue();
    pacer.coolDown(KEY, seconds(10));
    Watcher second = Watcher.of(open, world.time);
    assertThat(second.waits()).isTrue();
    world.pass(10);
    assertThat(second.completed()).isTrue();
  }

  @Test
  void itTakesNoSlot() {
    pacer.coolDown(KEY, seconds(20));
    Stream.generate(() -> watch(pacer)).limit(100).forEach(watcher -> assertThat(watcher.waits()).isTrue());
    GateCall call = world.call(pacer);
    world.pass(20);
    assertThat(call.waited).as("nobody is in front").isEqualTo(seconds(20));
    assertThat(world.heard.granted.get()).isEqualTo(1);
  }

  @Test
  @DisplayName("who comes in the next cooldown is not woken by the signal of the last, however late that is heard")
  void aLateSignalIsNotForTheNextCooldown() {
    GateHands hands = new GateHands(world.time);
    Pacer slow = world.builder().scheduler(hands).defaultPace(Pace.perSecond(10)).build();
    slow.coolDown(KEY, seconds(20));
    Watcher first = watch(slow);
    hands.hold();
    world.pass(20);
    slow.coolDown(KEY, seconds(30));
    Watcher second = watch(slow);
    hands.letGo();
    assertThat(first.completed()).isTrue();
    assertThat(second.waits()).isTrue();
    world.pass(30);
    assertThat(second.completed()).isTrue();
  }

  @Test
  void whoShutsItAgainAsItOpensKeepsTheOthersWaitingOnlyForThat() {
    List<Long> opened = new ArrayList<>();
    pacer.coolDown(KEY, seconds(20));
    long start = world.now();
    pacer
        .whenOpen(KEY)
        .doOnSuccess(none -> opened.add(world.now() - start))
        .doOnSuccess(none -> pacer.coolDown(KEY, seconds(5)))
        .repeat(3)
        .subscribe();
    world.pass(60);
    assertThat(opened).containsExactly(seconds(20).toNanos(), seconds(25).toNanos(), seconds(30).toNanos(), seconds(35).toNanos());
  }

  @Test
  @DisplayName("100 000 who come and leave cost what they cost, not what those beside them do")
  void comingAndLeavingIsFree() {
    pacer.coolDown(KEY, seconds(20));
    Watcher stays = watch(pacer);
    long timers = world.time.getScheduledTaskCount();
    long before = System.nanoTime();
    List<Disposable> many = Flux.range(0, 100_000).map(i -> pacer.whenOpen(KEY).subscribe()).collectList().block();
    many.forEach(Disposable::dispose);
    assertThat(Duration.ofNanos(System.nanoTime() - before)).as("quadratic is a minute").isLessThan(PATIENCE);
    assertThat(world.time.getScheduledTaskCount()).isEqualTo(timers);
    world.pass(20);
    assertThat(stays.completed()).isTrue();
    world.pass(1_000);
    assertThat(pacer.size()).isZero();
  }

  @Test
  void closingEndsThoseWhoWaitAndRefusesThoseWhoCome() {
    pacer.coolDown(KEY, seconds(20));
    Watcher watcher = watch(pacer);
    pacer.close();
    world.pass(Duration.ZERO);
    assertThat(watcher.error).isInstanceOf(PacerClosedException.class).hasMessageContaining(KEY);
    assertThat(watch(pacer).error).isInstanceOf(PacerClosedException.class);
    assertThat(pacer.size()).isZero();
  }

  @Test
  void aGraceIsForThemToo() {
    Pacer graced = world.builder().closeGrace(seconds(30)).defaultPace(Pace.perSecond(10)).build();
    graced.coolDown(KEY, seconds(20));
    graced.coolDown("other", seconds(40));
    Watcher brief = watch(graced);
    Watcher tooLong = Watcher.of(graced.whenOpen("other"), world.time);
    graced.close();
    world.pass(29);
    assertThat(brief.completed()).isTrue();
    assertThat(tooLong.waits()).isTrue();
    world.pass(1);
    assertThat(tooLong.error).isInstanceOf(PacerClosedException.class);
  }

  @Test
  void aKeyThatIsNoneIsRefused() {
    assertThat(Watcher.of(pacer.whenOpen(""), world.time).error)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key must have 1 to 512");
  }

  @Test
  @DisplayName("P15: who had to wait goes on on pacer's scheduler, also when the pacer closes; who had not, where it is")
  void itGoesOnOnThePacersScheduler() throws InterruptedException {
    Pacer own = Pacer.builder().defaultPace(Pace.perSecond(10)).build();
    List<String> threads = new ArrayList<>();
    own.whenOpen(KEY).doFinally(end -> threads.add(Thread.currentThread().getName())).subscribe();
    assertThat(threads).containsExactly(Thread.currentThread().getName());
    CountDownLatch opened = new CountDownLatch(1);
    own.coolDown(KEY, seconds(1));
    own.whenOpen(KEY)
        .doFinally(end -> threads.add(Thread.currentThread().getName()))
        .subscribe(none -> {}, error -> {}, opened::countDown);
    assertThat(opened.await(20, TimeUnit.SECONDS)).isTrue();
    CountDownLatch closed = new CountDownLatch(1);
    own.coolDown(KEY, seconds(3_600));
    own.whenOpen(KEY)
        .doOnError(end -> threads.add(Thread.currentThread().getName()))
        .subscribe(none -> {}, error -> closed.countDown());
    own.close();
    assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
    own.whenClosed().block(PATIENCE);
    assertThat(threads.subList(1, threads.size())).hasSize(2).allMatch(name -> name.startsWith("parallel-"));
  }
}
