package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.context.ContextRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.publisher.PublisherProbe;
import reactor.test.scheduler.VirtualTimeScheduler;
import reactor.util.context.Context;

/** A wait is what Reactor's users expect of a Mono. */
class ReactorHabitsTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final World world = new World();
  private final List<Pacer> real = new ArrayList<>();

  private Pacer real(Pacer.Builder builder) {
    Pacer pacer = builder.build();
    real.add(pacer);
    return pacer;
  }

  @AfterEach
  void closeThem() {
    real.forEach(Pacer::close);
  }

  @DisplayName("C104: in virtual time, slots at 0, 1 and 299 s are to the nanosecond, and 301 s is refused")
  @Test
  void virtualTimeIsExact() {
    for (int slot : new int[] {0, 1, 299}) {
      StepVerifier.withVirtualTime(() -> behind(slot))
          .expectSubscription()
          .thenAwait(Duration.ofSeconds(slot).minusNanos(slot == 0 ? 0 : 1))
          .expectNextCount(slot == 0 ? 1 : 0)
          .thenAwait(Duration.ofNanos(1))
          .expectNextCount(slot == 0 ? 0 : 1)
          .verifyComplete();
    }
    StepVerifier.withVirtualTime(() -> behind(301))
        .verifyErrorSatisfies(error ->
            assertThat(((RateLimitedException) error).waitNeeded()).isEqualTo(Duration.ofSeconds(301)));
  }

  /** A call whose slot is so many seconds away. */
  private static Mono<Duration> behind(int seconds) {
    Pacer pacer = Pacer.builder().scheduler(VirtualTimeScheduler.get()).defaultPace(Pace.perSecond(1)).build();
    for (int i = 0; i < seconds; i++) {
      pacer.reserve("k").subscribe(waited -> {}, error -> {});
    }
    return pacer.reserve("k");
  }

  @DisplayName("C104: a pacer built within virtual time, without a word about schedulers, runs in virtual time")
  @Test
  void virtualTimeNeedsNoSetting() {
    StepVerifier.withVirtualTime(() -> {
          Pacer pacer = Pacer.builder().defaultPace(Pace.perHour(1)).maxWait(Duration.ofHours(3)).build();
          return pacer.reserve("k").repeat(2);
        })
        .expectNext(Duration.ZERO)
        .expectNoEvent(Duration.ofHours(1))
        .expectNext(Duration.ofHours(1))
        .expectNoEvent(Duration.ofHours(1))
        .expectNext(Duration.ofHours(1))
        .verifyComplete();
  }

  @DisplayName("C104: nothing is scheduled without demand")
  @Test
  void nothingTicks() {
    StepVerifier.withVirtualTime(() -> Pacer.builder().defaultPace(Pace.perSecond(1)).build().reserve("k"), 0)
        .expectSubscription()
        .thenAwait(Duration.ofHours(300))
        .thenRequest(1)
        .expectNext(Duration.ZERO)
        .verifyComplete();
  }

  @DisplayName("C107: each subscription is a reservation of its own, repeats included")
  @Test
  void eachSubscriptionIsAReservation() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    Mono<Duration> one = pacer.reserve(World.KEY);
    assertThat(world.cursor.size()).as("cold").isZero();
    List<Duration> waits = new ArrayList<>();
    one.subscribe(waits::add);
    one.subscribe(waits::add);
    one.repeat(4).subscribe(waits::add);
    world.pass(Duration.ofSeconds(10));
    assertThat(waits).hasSize(7);
    assertThat(world.heard.granted).hasValue(7);
  }

  @DisplayName("C107: refused: exactly onSubscribe and onError")
  @Test
  void aRefusalIsOneSignal() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    world.call(pacer);
    for (String key : List.of(World.KEY, "", "\u0000")) {
      List<String> signals = new ArrayList<>();
      new Signals(pacer.reserve(key, Call.ONE.maxWait(Duration.ZERO)), signals);
      assertThat(signals).containsExactly("onSubscribe", "onError", "finally onError");
    }
    List<String> signals = new ArrayList<>();
    new Signals(pacer.reserve("another"), signals);
    assertThat(signals).containsExactly("onSubscribe", "onNext", "onComplete", "finally onComplete");
  }

  private static final class Signals extends BaseSubscriber<Duration> {
    private final List<String> signals;

    Signals(Mono<Duration> mono, List<String> signals) {
      this.signals = signals;
      mono.subscribe(this);
    }

    @Override
    protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
      signals.add("onSubscribe");
      requestUnbounded();
    }

    @Override
    protected void hookOnNext(Duration value) {
      signals.add("onNext");
    }

    @Override
    protected void hookOnComplete() {
      signals.add("onComplete");
    }

    @Override
    protected void hookOnError(Throwable throwable) {
      signals.add("onError");
    }

    @Override
    protected void hookFinally(reactor.core.publisher.SignalType type) {
      signals.add("finally " + type);
    }
  }

  @DisplayName("P12, C036: then(fetch) is subscribed once, at the slot, and never after a timeout or a dispose")
  @Test
  void theFetchIsSubscribedAtItsSlot() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    world.call(pacer);
    List<Long> at = new ArrayList<>();
    Mono<String> fetch = Mono.fromCallable(() -> {
      at.add(world.now());
      return "page";
    });
    StepVerifier.create(Mono.delay(Duration.ofMillis(1), world.time).then(pacer.reserve(World.KEY).then(fetch)))
        .then(() -> world.pass(Duration.ofSeconds(1)))
        .expectNext("page").verifyComplete();
    assertThat(at).containsExactly(1_000_000_000L);

    PublisherProbe<String> timedOut = PublisherProbe.of(fetch);
    PublisherProbe<String> disposed = PublisherProbe.of(fetch);
    StepVerifier.create(pacer.reserve(World.KEY).then(timedOut.mono()).timeout(Duration.ofMillis(200), world.time))
        .then(() -> pacer.reserve(World.KEY).then(disposed.mono()).subscribe().dispose())
        .then(() -> world.pass(Duration.ofSeconds(1)))
        .verifyError(TimeoutException.class);
    world.pass(Duration.ofSeconds(10));
    timedOut.assertWasNotSubscribed();
    disposed.assertWasNotSubscribed();
    assertThat(pacer.size()).isZero();
  }

  @Test
  void theOperatorsPaceTheSubscription() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    List<Object> got = new ArrayList<>();
    Mono<String> mono = Mono.just("m").transformDeferred(pacer.pacedMono(World.KEY));
    Flux<Integer> flux = Flux.range(1, 3).transformDeferred(pacer.pacedFlux(World.KEY));
    mono.subscribe(value -> got.add(value + " at " + world.now() / 1_000_000_000));
    flux.subscribe(value -> got.add(value + " at " + world.now() / 1_000_000_000));
    mono.subscribe(value -> got.add(value + " at " + world.now() / 1_000_000_000));
    flux.limitRate(1).take(1).subscribe(value -> got.add(value + " at " + world.now() / 1_000_000_000));
    world.pass(Duration.ofSeconds(10));
    assertThat(got).containsExactly("m at 0", "1 at 1", "2 at 1", "3 at 1", "m at 2", "1 at 3");
    StepVerifier.create(Mono.error(new IllegalStateException("upstream")).transformDeferred(pacer.pacedMono("other")))
        .verifyErrorMessage("upstream");
  }

  @Test
  void theContextIsThereAfterTheWait() {
    Pacer pacer = world.pacer(Pace.perSecond(1_000));
    Map<Integer, Integer> seen = new ConcurrentHashMap<>();
    for (int i = 0; i < 100; i++) {
      int id = i;
      pacer.reserve(World.KEY)
          .then(Mono.deferContextual(context -> Mono.just(context.<Integer>get("id"))))
          .contextWrite(Context.of("id", id))
          .subscribe(value -> seen.put(id, value));
    }
    world.pass(Duration.ofSeconds(1));
    assertThat(seen).hasSize(100).allSatisfy((id, value) -> assertThat(value).isEqualTo(id));
  }

  @DisplayName("C103: each of 1 000 sees its own id in its ThreadLocal after the wait, and who has none sees none")
  @Test
  void threadLocalsAreEachCallersOwn() throws InterruptedException {
    ThreadLocal<String> id = new ThreadLocal<>();
    ContextRegistry.getInstance().registerThreadLocalAccessor("pacer-test-id", id);
    Hooks.enableAutomaticContextPropagation();
    try {
      Pacer pacer = real(Pacer.builder().defaultPace(Pace.perSecond(2_000)));
      int n = 1_000;
      Queue<String> mixedUp = new ConcurrentLinkedQueue<>();
      CountDownLatch done = new CountDownLatch(2 * n);
      for (int i = 0; i < n; i++) {
        String mine = "request-" + i;
        id.set(mine);
        pacer.reserve(World.KEY)
            .doOnNext(waited -> note(mine, id.get(), mixedUp))
            .contextCapture()
            .subscribe(waited -> done.countDown());
        id.remove();
        pacer.reserve(World.KEY)
            .doOnNext(waited -> note(null, id.get(), mixedUp))
            .subscribe(waited -> done.countDown());
      }
      assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(mixedUp.stream().limit(5)).isEmpty();
    } finally {
      Hooks.disableAutomaticContextPropagation();
      ContextRegistry.getInstance().removeThreadLocalAccessor("pacer-test-id");
    }
  }

  private static void note(String expected, String seen, Queue<String> mixedUp) {
    if (!java.util.Objects.equals(expected, seen)) {
      mixedUp.add(expected + " saw " + seen);
    }
  }

  @DisplayName("P15: who waited goes on on the pacer's scheduler; who did not wait goes on where it is")
  @Test
  void callersGoOnOnThePacersScheduler() {
    Scheduler own = Schedulers.newParallel("own", 2);
    try {
      Pacer pacer = real(Pacer.builder().defaultPace(Pace.perSecond(100)).scheduler(own));
      List<String> threads = Flux.range(0, 10)
          .flatMap(i -> pacer.reserve(World.KEY).map(waited -> Thread.currentThread().getName()), 10)
          .collectList().block(SOON);
      assertThat(threads.get(0)).isEqualTo(Thread.currentThread().getName());
      assertThat(threads.subList(1, 10)).allMatch(name -> name.startsWith("own-"));
      Pacer byDefault = real(Pacer.builder().defaultPace(Pace.perSecond(100)));
      assertThat(byDefault.reserve(World.KEY).then(byDefault.reserve(World.KEY)).map(waited -> Thread.currentThread().getName()).block(SOON))
          .startsWith("parallel-");
    } finally {
      own.dispose();
    }
  }

  @DisplayName("P15: nobody goes on on another caller's stack")
  @Test
  void nobodyGoesOnOnAnothersStack() {
    Scheduler own = Schedulers.newParallel("own", 2);
    try {
      Pacer pacer = real(Pacer.builder().defaultPace(Pace.perSecond(20).burst(5)).scheduler(own));
      Queue<String> here = new ConcurrentLinkedQueue<>();
      Thread me = Thread.currentThread();
      CountDownLatch done = new CountDownLatch(30);
      for (int i = 0; i < 30; i++) {
        int number = i;
        AtomicBoolean mine = new AtomicBoolean(true); // within its own subscribe
        pacer.reserve(World.KEY).subscribe(waited -> {
          if (Thread.currentThread() == me && !mine.get()) {
            here.add("call " + number);
          }
          done.countDown();
        });
        mine.set(false);
      }
      assertThat(await(done)).isTrue();
      assertThat(here).isEmpty();
    } finally {
      own.dispose();
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @DisplayName("C059: one of 1 000 blocks its thread until the others are through: so they do not wait for it")
  @ParameterizedTest
  @ValueSource(ints = {1, 1_000})
  void aBlockingCallerHoldsUpNobody(int burst) {
    ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(4);
    Scheduler threads = Schedulers.fromExecutorService(pool);
    try {
      ScriptedCursor cursor = new ScriptedCursor();
      Pace pace = Pace.perSecond(2_000).burst(burst);
      Pacer pacer = burst == 1
          ? real(Pacer.builder().defaultPace(pace).scheduler(threads))
          : real(Pacer.builder().defaultPace(pace).scheduler(threads).cursor(cursor));
      CountDownLatch others = new CountDownLatch(999);
      AtomicBoolean othersWereFirst = new AtomicBoolean();
      CountDownLatch all = new CountDownLatch(1_000);
      CountDownLatch first = new CountDownLatch(1);
      for (int i = 0; i < 1_000; i++) {
        boolean blocks = i == 10;
        pacer.reserve(World.KEY).subscribe(waited -> {
          if (blocks) {
            othersWereFirst.set(await(others));
          } else {
            others.countDown();
          }
          first.countDown();
          all.countDown();
        });
      }
      if (burst > 1) { // all of them at once, by one answer
        cursor.grant(1, 0, 0, 1);
        assertThat(await(first)).isTrue();
        while (pool.getActiveCount() > 0) { // no thread is left that would help by chance
          Thread.onSpinWait();
        }
        cursor.grant(999, -pace.gcra().tolerance(), pace.gcra().advance(1), 2);
      }
      assertThat(await(all)).isTrue();
      assertThat(othersWereFirst).isTrue();
    } finally {
      threads.dispose();
      pool.shutdownNow();
    }
  }

  @DisplayName("a caller that throws on its own signal hurts no other")
  @Test
  void aCallerThatThrowsHurtsNobody() {
    Pacer pacer = real(Pacer.builder().defaultPace(Pace.perSecond(1_000)));
    CountDownLatch others = new CountDownLatch(50);
    for (int i = 0; i < 100; i++) {
      boolean throwing = i % 2 == 1;
      pacer.reserve(World.KEY).subscribe(new BaseSubscriber<>() {
        @Override
        protected void hookOnNext(Duration waited) {
          if (throwing) {
            throw new IllegalStateException("mine alone");
          }
          others.countDown();
        }

        @Override
        protected void hookOnError(Throwable own) {}
      });
    }
    assertThat(await(others)).isTrue();
  }

  @DisplayName("a listener that throws, whatever it throws, is not felt")
  @ParameterizedTest
  @ValueSource(strings = {"exception", "error"})
  void aListenerThatThrowsIsNotFelt(String kind) {
    PacerListener hostile = (PacerListener) java.lang.reflect.Proxy.newProxyInstance(
        PacerListener.class.getClassLoader(), new Class<?>[] {PacerListener.class}, (proxy, method, args) -> {
          throw kind.equals("error") ? new AssertionError("no") : new IllegalStateException("no");
        });
    Pacer pacer = world.builder().listener(hostile).defaultPace(Pace.perSecond(10)).build();
    List<Caller> calls = world.calls(pacer, 5);
    world.call(pacer).cancel();
    Caller refused = world.call(pacer, Call.ONE.maxWait(Duration.ZERO));
    world.pass(Duration.ofSeconds(2));
    assertThat(calls).allMatch(Caller::passed);
    assertThat(refused.refusal()).isNotNull();
    assertThat(pacer.size()).isZero();
  }

  @DisplayName("C105: 32 threads and 32 000 calls: nothing blocks, nothing is lost, the ceiling holds")
  @Test
  void manyThreads() {
    Recorder heard = new Recorder();
    Pacer pacer = real(Pacer.builder().defaultPace(Pace.perSecond(100_000)).listener(heard));
    Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
    AtomicInteger passed = new AtomicInteger();
    long from = System.nanoTime();
    Flux.range(0, 32)
        .flatMap(i -> Flux.range(0, 1_000).concatMap(j -> j % 5 == 4
                ? pacer.reserve(World.KEY).timeout(Duration.ofNanos(1_000 * (j % 40))).onErrorResume(TimeoutException.class, e -> Mono.empty())
                : pacer.reserve(World.KEY, Call.ONE.priority(Priority.values()[j % 3])))
            .doOnNext(waited -> passed.incrementAndGet())
            .subscribeOn(Schedulers.parallel()), 32)
        .doOnError(errors::add)
        .then().block(SOON);
    long took = System.nanoTime() - from;
    assertThat(errors).isEmpty();
    assertThat(passed.get()).isGreaterThanOrEqualTo(32 * 800);
    assertThat(passed.get()).isLessThanOrEqualTo((int) (took / 10_000 + 201));
    assertThat(heard.anomalies).isEmpty();
  }
}
