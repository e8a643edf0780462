package dev.pacer;

import static dev.pacer.GateWorld.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Gates in real time, under real threads. */
class GateThreadsTest {

  private static final Backoff BRIEF =
      GateWorld.LEVEL.least(Duration.ofMillis(1)).first(Duration.ofMillis(5), Duration.ofMillis(5));

  @Test
  @DisplayName("P6: once coolDown has returned, no call passes the last look at the gate until it opens")
  void nothingPassesOnceThePacerWasTold() throws InterruptedException {
    Scheduler scheduler = Schedulers.newParallel("gate-threads", 4);
    Pacer pacer = Pacer.builder().scheduler(scheduler).backoff(BRIEF).defaultPace(Pace.perSecond(200_000)).build();
    AtomicLong shutFrom = new AtomicLong(Long.MIN_VALUE);
    AtomicLong shutTo = new AtomicLong(Long.MIN_VALUE);
    AtomicInteger early = new AtomicInteger();
    AtomicInteger passed = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(1);
    Flux.range(0, Integer.MAX_VALUE)
        .flatMap(
            i ->
                pacer
                    .reserve(KEY)
                    .doOnNext(
                        waited -> {
                          long from = shutFrom.get(); // read before the look: only what was shut before it counts
                          long to = shutTo.get();
                          if (pacer.sending(KEY) != null) {
                            long now = System.nanoTime();
                            passed.incrementAndGet();
                            early.addAndGet(from != Long.MIN_VALUE && from < to && now < to ? 1 : 0);
                          }
                        })
                    .onErrorComplete(),
            2_000)
        .takeUntilOther(Mono.delay(Duration.ofSeconds(4)))
        .doFinally(end -> done.countDown())
        .subscribe();
    while (done.getCount() > 0) {
      LockSupport.parkNanos(1_000_000);
      long opens = System.nanoTime() + 5_000_000;
      pacer.coolDown(KEY, Duration.ofMillis(5));
      shutTo.set(opens);
      shutFrom.set(opens - 5_000_000);
      LockSupport.parkNanos(opens - System.nanoTime() + 1_000_000);
      shutFrom.set(Long.MIN_VALUE);
    }
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(passed.get()).isGreaterThan(1_000);
    assertThat(early.get()).as("of %d calls", passed.get()).isZero();
    pacer.close();
    scheduler.dispose();
  }

  @Test
  @DisplayName("C059: 1,000 waiters, the tenth blocks for 500 ms: the other 999 go on (timers have a thread of their own)")
  void aCallThatBlocksItsThreadHoldsNobodyElseUp() throws InterruptedException {
    Pacer pacer = Pacer.builder().backoff(BRIEF).defaultPace(Pace.perSecond(1_000)).build();
    pacer.coolDown(KEY, Duration.ofMillis(200));
    CountDownLatch all = new CountDownLatch(1_000);
    AtomicLong tenth = new AtomicLong();
    Queue<Long> others = new ConcurrentLinkedQueue<>();
    AtomicInteger order = new AtomicInteger();
    for (int i = 0; i < 1_000; i++) {
      pacer
          .reserve(KEY)
          .subscribe(
              waited -> {
                if (order.incrementAndGet() == 10) {
                  tenth.set(System.nanoTime());
                  long end = System.nanoTime() + 500_000_000L;
                  while (System.nanoTime() - end < 0) {
                    order.get(); // it may not sleep: BlockHound looks on
                  }
                } else {
                  others.add(System.nanoTime());
                }
                all.countDown();
              });
    }
    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
    long during = others.stream().filter(at -> at > tenth.get() && at - tenth.get() < 400_000_000L).count();
    assertThat(during).as("in 400 ms at 1,000/s").isGreaterThan(100);
    pacer.close();
  }

  @Test
  @DisplayName("C059: three threads shut, extend and cross one gate, 2,000 times: nobody is stuck")
  void nobodyIsStuckHoweverManyThreadsAreAtTheGate() throws InterruptedException {
    Scheduler scheduler = Schedulers.newParallel("gate-race", 3);
    Backoff tiny =
        GateWorld.LEVEL.least(Duration.ZERO).first(Duration.ofMillis(1), Duration.ofMillis(1));
    Pacer pacer = Pacer.builder().scheduler(scheduler).backoff(tiny).defaultPace(Pace.perSecond(100_000)).build();
    CountDownLatch all = new CountDownLatch(3 * 2_000 * 5);
    CountDownLatch threads = new CountDownLatch(3);
    for (int t = 0; t < 3; t++) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 2_000; i++) {
                  for (int j = 0; j < 4; j++) {
                    pacer.reserve(KEY).subscribe(waited -> all.countDown());
                  }
                  pacer.coolDown(KEY, Duration.ofNanos(200_000));
                  pacer.reserve(KEY).doFinally(end -> all.countDown()).subscribe().dispose();
                  pacer.succeeded(KEY);
                }
                threads.countDown();
              });
      thread.setDaemon(true);
      thread.start();
    }
    assertThat(threads.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(all.await(60, TimeUnit.SECONDS)).as("left: " + all.getCount()).isTrue();
    pacer.close();
    pacer.whenClosed().block(Duration.ofSeconds(10));
    scheduler.dispose();
  }

  @Test
  @DisplayName("C059: three threads shut, extend and wait for one gate, 2,000 times: everybody hears that it opens")
  void nobodyMissesTheOpeningHoweverManyThreadsAreAtTheGate() throws InterruptedException {
    Scheduler scheduler = Schedulers.newParallel("gate-opening", 3);
    Backoff tiny = GateWorld.LEVEL.least(Duration.ZERO).first(Duration.ofMillis(1), Duration.ofMillis(1));
    Pacer pacer = Pacer.builder().scheduler(scheduler).backoff(tiny).defaultPace(Pace.perSecond(100_000)).build();
    CountDownLatch all = new CountDownLatch(3 * 2_000 * 3);
    AtomicInteger waited = new AtomicInteger();
    for (int t = 0; t < 3; t++) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 2_000; i++) {
                  pacer.shut(KEY, Duration.ofNanos(200_000));
                  waited.addAndGet(pacer.inCooldown(KEY) ? 1 : 0);
                  pacer.whenOpen(KEY).doFinally(end -> all.countDown()).subscribe();
                  pacer.whenOpen(KEY).doFinally(end -> all.countDown()).subscribe().dispose();
                  pacer.whenOpen(KEY).subscribe(none -> {}, error -> {}, all::countDown);
                  LockSupport.parkNanos(i % 8 * 50_000L);
                }
              });
      thread.setDaemon(true);
      thread.start();
    }
    assertThat(all.await(60, TimeUnit.SECONDS)).as("left: " + all.getCount()).isTrue();
    assertThat(waited.get()).as("the gate was shut at all").isPositive();
    pacer.close();
    pacer.whenClosed().block(Duration.ofSeconds(10));
    scheduler.dispose();
  }

  @Test
  @DisplayName("coolDown, shut and those who wait for the gate race with close: it ends, and so does everybody, without a fault")
  void cooldownsRaceWithClose() throws InterruptedException {
    AtomicReference<Throwable> odd = new AtomicReference<>();
    for (int round = 0; round < 300; round++) {
      Pacer pacer = Pacer.builder().defaultPace(Pace.perSecond(2_000)).build();
      CountDownLatch begun = new CountDownLatch(3);
      CountDownLatch done = new CountDownLatch(3);
      CountDownLatch ended = new CountDownLatch(3 * 100 * 2);
      for (int t = 0; t < 3; t++) {
        Thread thread =
            new Thread(
                () -> {
                  try {
                    begun.countDown();
                    for (int i = 0; i < 100; i++) {
                      String key = KEY + i % 3;
                      pacer.coolDown(key, i % 2 == 0 ? Duration.ofSeconds(60 + i) : null);
                      pacer.shut(key, Duration.ofSeconds(i));
                      pacer.reserve(key).doOnError(error -> keepOdd(odd, error)).subscribe(w -> ended.countDown(), e -> ended.countDown());
                      pacer.whenOpen(key).doOnError(error -> keepOdd(odd, error)).subscribe(w -> {}, e -> ended.countDown(), ended::countDown);
                      pacer.succeeded(key);
                    }
                  } catch (Throwable thrown) {
                    odd.set(thrown);
                  }
                  done.countDown();
                });
        thread.setDaemon(true);
        thread.start();
      }
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      LockSupport.parkNanos(round % 10 * 100_000L);
      pacer.close();
      assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
      pacer.whenClosed().block(Duration.ofSeconds(20));
      assertThat(ended.await(20, TimeUnit.SECONDS)).as("left: " + ended.getCount()).isTrue();
      assertThat(odd).hasValue(null);
      assertThat(pacer.size()).as("a lane that was made too late has gone, too").isZero();
    }
  }

  private static void keepOdd(AtomicReference<Throwable> odd, Throwable error) {
    if (!(error instanceof PacerClosedException)) {
      odd.set(error);
    }
  }
}
