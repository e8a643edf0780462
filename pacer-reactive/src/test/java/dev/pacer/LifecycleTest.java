package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

class LifecycleTest {

  private final World world = new World();

  private boolean closed(Pacer pacer) {
    List<String> done = new ArrayList<>();
    pacer.whenClosed().subscribe(nothing -> {}, error -> done.add("error"), () -> done.add("closed"));
    return done.equals(List.of("closed"));
  }

  @DisplayName("C092: close ends 100 calls with one clear error each, a second close is nothing, later calls fail fast")
  @Test
  void closeEndsThoseWhoWait() {
    Pacer pacer = world.builder().defaultPace(Pace.of(1, Duration.ofSeconds(2))).build();
    List<Caller> calls = world.calls(pacer, 101);
    pacer.close();
    assertThat(calls.get(0).passed()).isTrue();
    assertThat(calls.subList(1, 101)).allSatisfy(call -> {
      assertThat(call.error).isInstanceOf(PacerClosedException.class).hasMessageContainingAll("closed", World.KEY);
      assertThat(call.at).isZero();
      assertThat(call.signals).isEqualTo(1);
    });
    pacer.close();
    assertThat(closed(pacer)).isTrue();
    assertThat(world.call(pacer).error).isInstanceOf(PacerClosedException.class);
    assertThat(pacer.size()).isZero();
    assertThat(world.heard.givenBack).hasValue(1);
    assertThat(world.ahead()).as("the slot in hand went back").isEqualTo(2_000_000_000);
  }

  @Test
  void aPacerThatDidNothingIsClosedAtOnce() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    assertThat(closed(pacer)).isFalse();
    pacer.close();
    assertThat(closed(pacer)).isTrue();
  }

  @DisplayName("with a grace, those who wait are served in it, new ones are refused at once, the rest ends with it")
  @Test
  void closeWithAGraceDrains() {
    Pacer pacer = world.builder().defaultPace(Pace.perSecond(1)).closeGrace(World.seconds(5.5)).build();
    List<Caller> calls = world.calls(pacer, 10);
    pacer.close();
    assertThat(world.call(pacer).error).isInstanceOf(PacerClosedException.class);
    world.pass(World.seconds(5.4));
    assertThat(calls.stream().filter(Caller::passed)).hasSize(6);
    assertThat(closed(pacer)).isFalse();
    world.pass(World.seconds(0.1));
    assertThat(calls.subList(6, 10)).allSatisfy(call -> assertThat(call.error).isInstanceOf(PacerClosedException.class));
    assertThat(closed(pacer)).isTrue();
  }

  @DisplayName("a grace ends when nobody waits any more")
  @Test
  void aGraceIsNotWaitedOutForNobody() {
    Pacer pacer = world.builder().defaultPace(Pace.perSecond(1)).closeGrace(Duration.ofMinutes(10)).build();
    List<Caller> calls = world.calls(pacer, 3);
    pacer.close();
    world.pass(Duration.ofSeconds(4));
    assertThat(calls).allMatch(Caller::passed);
    assertThat(pacer.size()).isZero();
    assertThat(closed(pacer)).isTrue();
  }

  @DisplayName("closed while a claim is in flight: its slots go back when it is answered, and only then is it over")
  @Test
  void closedWhileAClaimIsInFlight() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(10)).build();
    Caller call = world.call(pacer);
    pacer.close();
    assertThat(call.error).isInstanceOf(PacerClosedException.class);
    assertThat(closed(pacer)).isFalse();
    assertThat(cursor.closed).isFalse();
    cursor.grant(1, 0, 500, 9);
    assertThat(cursor.refunds).containsExactly(new Cursor.Refund(World.KEY, 100_000_500, 9, 500));
    cursor.accept(true);
    assertThat(cursor.closed).isTrue();
    assertThat(closed(pacer)).isTrue();
  }

  @Test
  void slotsThatCannotBeGivenBackAreLostAtClose() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(10)).build();
    world.call(pacer);
    cursor.grant(1, 50_000_000, 50_000_000, 1);
    pacer.close();
    cursor.accept(false);
    assertThat(closed(pacer)).isTrue();
    assertThat(world.heard.lost).hasValue(1);
  }

  @Test
  void aCursorThatFailsToCloseDoesNotKeepThePacerOpen() {
    Pacer pacer = world.builder().cursor(new Wrapped(world.cursor) {
      @Override
      public Mono<Void> close() {
        return Mono.error(new CursorException("no", null));
      }
    }).defaultPace(Pace.perSecond(10)).build();
    world.call(pacer);
    pacer.close();
    assertThat(closed(pacer)).isTrue();
  }

  @DisplayName("C092: closed after its scheduler was disposed of: those who wait still get their error")
  @Test
  void closedAfterItsScheduler() throws InterruptedException {
    Scheduler own = Schedulers.newSingle("own");
    Pacer pacer = Pacer.builder().scheduler(own).defaultPace(Pace.perHour(1)).maxWait(Duration.ofHours(20)).build();
    Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
    CountDownLatch ended = new CountDownLatch(10);
    pacer.reserve("k").subscribe();
    for (int i = 0; i < 10; i++) {
      pacer.reserve("k").subscribe(waited -> {}, error -> {
        errors.add(error);
        ended.countDown();
      });
    }
    own.dispose();
    pacer.close();
    assertThat(ended.await(1, TimeUnit.SECONDS)).isTrue();
    assertThat(errors).allMatch(error -> error instanceof PacerClosedException);
    pacer.whenClosed().block(Duration.ofSeconds(1));
  }

  @DisplayName("close and calls at the same time, a thousand times: every call ends, and the pacer is closed")
  @Test
  void closeRacesWithCalls() throws Exception {
    for (int round = 0; round < 1_500; round++) {
      Recorder heard = new Recorder();
      Pacer pacer = Pacer.builder().scheduler(Schedulers.parallel()).defaultPace(Pace.perSecond(1)).listener(heard).build();
      CyclicBarrier start = new CyclicBarrier(3);
      CountDownLatch ended = new CountDownLatch(40);
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 2; t++) {
        threads.add(new Thread(() -> {
          meet(start);
          for (int i = 0; i < 20; i++) {
            pacer.reserve("k").doFinally(signal -> ended.countDown()).subscribe(waited -> {}, error -> {});
          }
        }));
      }
      threads.forEach(Thread::start);
      meet(start);
      pacer.close();
      assertThat(ended.await(5, TimeUnit.SECONDS)).as("round %s: every call has ended", round).isTrue();
      pacer.whenClosed().block(Duration.ofSeconds(5));
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(heard.cancelled).as("round %s", round).hasValue(0);
      assertThat(pacer.size()).isZero();
    }
  }

  @DisplayName("calls and cancellations race, each is counted once and the lane goes away")
  @Test
  void cancelRacesWithCalls() throws Exception {
    Recorder heard = new Recorder();
    Pacer pacer = Pacer.builder().defaultPace(Pace.perSecond(100_000)).listener(heard).build();
    int each = 30_000;
    CyclicBarrier start = new CyclicBarrier(2);
    List<Thread> threads = new ArrayList<>();
    AtomicInteger passed = new AtomicInteger();
    for (int t = 0; t < 2; t++) {
      threads.add(new Thread(() -> {
        meet(start);
        for (int i = 0; i < each; i++) {
          pacer.reserve("k").subscribe(waited -> passed.incrementAndGet()).dispose();
        }
      }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    pacer.close();
    pacer.whenClosed().block(Duration.ofSeconds(5));
    assertThat(heard.released.get() + heard.cancelled.get()).isEqualTo(2L * each);
    long patience = System.nanoTime() + 5_000_000_000L; // a call that left as its lane retired may still be on its way
    while (heard.granted.get() != heard.spent() && System.nanoTime() - patience < 0) {
      Thread.onSpinWait();
    }
    assertThat(heard.granted.get()).isEqualTo(heard.spent());
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @DisplayName("C098: a million keys used once leave nothing behind")
  @Test
  void idleLanesGoAway() {
    Pacer pacer = world.builder().defaultPace(Pace.perSecond(10)).build();
    for (int i = 0; i < 1_000_000; i++) {
      pacer.reserve("key-" + i).subscribe();
      if (i % 500 == 0) { // virtual time is slow with many timers
        world.pass(World.seconds(0.11));
        assertThat(pacer.size()).isLessThanOrEqualTo(1_000);
      }
    }
    assertThat(world.heard.released).hasValue(1_000_000);
    world.pass(World.seconds(0.5));
    assertThat(pacer.size()).isZero();
    assertThat(world.cursor.size()).isZero();
  }

  @DisplayName("a lane goes away as soon as its cursor is past, and a new one knows as much")
  @Test
  void aLaneStaysWhileItsCursorIsAhead() {
    Pacer pacer = world.pacer(Pace.of(1, Duration.ofSeconds(100)));
    world.call(pacer);
    world.pass(World.seconds(99.9));
    assertThat(pacer.size()).isEqualTo(1);
    world.pass(World.seconds(0.2));
    assertThat(pacer.size()).isZero();
    assertThat(world.cursor.size()).isZero();
    assertThat(world.call(pacer).waited).isZero();
    assertThat(world.call(pacer).waits()).isTrue();
  }

  @DisplayName("no lane turns idly while a statement is in flight")
  @Test
  void aLaneDoesNotSpin() {
    ScriptedCursor cursor = new ScriptedCursor();
    AtomicInteger looks = new AtomicInteger();
    Pacer pacer = world.builder().cursor(cursor).paces(key -> {
      assertThat(looks.incrementAndGet()).as("it does not turn idly").isLessThan(1_000);
      return Pace.perSecond(10);
    }).build();
    world.call(pacer).cancel();
    world.pass(Duration.ofSeconds(30)); // without an answer to the claim
    assertThat(looks.get()).isLessThan(1_000);
    cursor.grant(1, 0, 0, 1);
    world.pass(Duration.ofSeconds(30)); // without an answer to the refund
    assertThat(looks.get()).isLessThan(1_000);
    cursor.accept(true);
    world.pass(Duration.ofSeconds(1));
    assertThat(pacer.size()).isZero();
  }

  @DisplayName("C093: the JVM exits though nobody closed the pacer")
  @Test
  void theJvmExits() throws IOException, InterruptedException {
    String java = System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
    String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Process child = new ProcessBuilder(java, "-Xshare:auto", "-cp", classPath, Forgetful.class.getName())
        .redirectErrorStream(true)
        .start();
    boolean exited = child.waitFor(20, TimeUnit.SECONDS);
    String said = exited ? new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8) : "nothing";
    child.destroyForcibly();
    assertThat(exited).isTrue();
    assertThat(child.exitValue()).as(said).isZero();
    assertThat(said).contains("10 calls");
  }

  /** A program that closes nothing. */
  static final class Forgetful {
    public static void main(String[] args) {
      Pacer pacer = Pacer.builder().defaultPace(Pace.perSecond(100)).build();
      List<Duration> waits = Flux.range(0, 10).flatMap(i -> pacer.reserve("k")).collectList().block(Duration.ofSeconds(5));
      System.out.println(waits.size() + " calls");
    }
  }
}
