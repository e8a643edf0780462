package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pacer.Backoff;
import dev.pacer.Call;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.PacerListener;
import dev.pacer.Priority;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;
import reactor.test.scheduler.VirtualTimeScheduler;

/** In virtual time, with calls that are a script. */
class BulkTest {

  private static final String KEY = "pages.example.com";

  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final AtomicInteger claims = new AtomicInteger();
  private final List<Outcome<Integer, String>> outcomes = new ArrayList<>();

  private final Pacer pacer =
      Pacer.builder()
          .defaultPace(Pace.perSecond(10))
          .backoff(Backoff.DEFAULT.jitter(Duration.ZERO).widening(0, 1, false))
          .scheduler(time)
          .listener(
              new PacerListener() {
                @Override
                public void answered(String key, long asked, long granted, Duration roundTrip) {
                  claims.incrementAndGet();
                }
              })
          .build();

  private void pass(Duration duration) {
    time.advanceTimeBy(duration);
  }

  private Duration now() {
    return Duration.ofMillis(time.now(TimeUnit.MILLISECONDS));
  }

  private static Bulk<Integer, String> of(Function<Integer, Mono<String>> call) {
    return Bulk.builder(call).build();
  }

  private Bulk.Builder<Integer, String> paced() {
    return Bulk.builder((Integer item) -> pacer.reserve(KEY).thenReturn("page " + item)).scheduler(time);
  }

  /** A call that takes so long. */
  private Mono<String> after(Duration duration, String result) {
    return Mono.delay(duration, time).thenReturn(result);
  }

  private Map<Outcome.State, Long> states() {
    return outcomes.stream().collect(Collectors.groupingBy(Outcome::state, Collectors.counting()));
  }

  @Test
  void eachItemEndsInOneOfThreeWaysAndNoneEndsTheRun() {
    Throwable broken = new IOException("broken");
    RefusedException refused = new RefusedException("a", new Refusal("GET", 429, Optional.of(Duration.ofMinutes(2)), 4));
    List<Mono<String>> calls =
        List.of(
            Mono.just("page"),
            Mono.empty(),
            Mono.error(broken),
            Mono.defer(
                () -> {
                  throw new IllegalStateException("thrown in the chain");
                }),
            Mono.error(refused),
            Mono.error(new IllegalStateException("wrapped", refused)),
            Mono.error(SourcesTest.rateLimited()));
    Function<Integer, Mono<String>> call =
        item -> {
          if (item == 7) {
            throw new IllegalStateException("thrown by the call");
          }
          return item < 7 ? calls.get(item) : null;
        };
    of(call).run(Flux.range(0, 9)).subscribe(outcomes::add);
    assertThat(outcomes).extracting(Outcome::item).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(outcomes.get(0).result()).contains("page");
    assertThat(outcomes.get(1).result()).isEmpty();
    assertThat(outcomes.get(2).error()).contains(broken);
    assertThat(outcomes.get(4).error()).contains(refused);
    assertThat(outcomes.get(4).retryAfter()).contains(Duration.ofMinutes(2));
    assertThat(outcomes.get(5).retryAfter()).contains(Duration.ofMinutes(2));
    assertThat(outcomes.get(6).retryAfter()).contains(Duration.ofHours(1));
    assertThat(outcomes.get(8).error().orElseThrow()).isInstanceOf(NullPointerException.class);
    assertThat(states())
        .containsEntry(Outcome.State.SUCCEEDED, 2L)
        .containsEntry(Outcome.State.FAILED, 4L)
        .containsEntry(Outcome.State.SKIPPED, 3L);
  }

  @Test
  void outcomesComeInTheOrderInWhichItemsEnd() {
    of(item -> after(Duration.ofSeconds(10 - item), "page"))
        .run(Flux.range(0, 4))
        .subscribe(outcomes::add);
    pass(Duration.ofSeconds(10));
    assertThat(outcomes).extracting(Outcome::item).containsExactly(3, 2, 1, 0);
  }

  @Test
  void itemsAreTakenAsPlacesBecomeFree() {
    AtomicLong taken = new AtomicLong();
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Bulk.builder(
            (Integer item) ->
                after(Duration.ofSeconds(1), "page")
                    .doOnSubscribe(begun -> most.accumulateAndGet(underWay.incrementAndGet(), Math::max))
                    .doOnTerminate(underWay::decrementAndGet))
        .concurrency(3)
        .build()
        .run(Flux.range(0, 1_000).doOnNext(item -> taken.incrementAndGet()))
        .subscribe(outcomes::add);
    pass(Duration.ofSeconds(10));
    assertThat(outcomes).hasSize(30);
    assertThat(taken).hasValue(33);
    assertThat(most).hasValue(3);
  }

  @Test
  void itGoesAheadOfDemandByNoMoreThanTheConcurrency() {
    AtomicLong taken = new AtomicLong();
    BaseSubscriber<Outcome<Integer, String>> slow =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {}

          @Override
          protected void hookOnNext(Outcome<Integer, String> outcome) {
            outcomes.add(outcome);
          }
        };
    Bulk.builder((Integer item) -> Mono.just("page"))
        .concurrency(5)
        .onProgress(Duration.ofSeconds(1), progress -> {})
        .scheduler(time)
        .build()
        .run(Flux.range(0, 1_000_000).doOnNext(item -> taken.incrementAndGet()))
        .subscribe(slow);
    assertThat(taken).hasValueLessThanOrEqualTo(5);
    for (int demand = 1; demand <= 100; demand++) {
      slow.request(1);
      assertThat(outcomes).hasSize(demand);
      assertThat(taken).hasValueLessThanOrEqualTo(demand + 5);
    }
    slow.cancel();
  }

  @Test
  void aMillionItemsAreNotHeld() {
    record Page(byte[] body) {}
    int million = 1_000_000;
    List<WeakReference<Object>> some = new ArrayList<>();
    AtomicLong ended = new AtomicLong();
    AtomicLong alive = new AtomicLong(-1);
    Flux<Page> items =
        Flux.range(0, million)
            .map(
                n -> {
                  Page page = new Page(new byte[32]);
                  if (n % 1_000 == 0) {
                    some.add(new WeakReference<>(page));
                  }
                  if (n == million - 1) {
                    System.gc();
                    alive.set(some.stream().filter(reference -> reference.get() != null).count());
                  }
                  return page;
                });
    Bulk.builder((Page page) -> Mono.just(page.body()))
        .concurrency(64)
        .onProgress(Duration.ofSeconds(1), progress -> {})
        .build()
        .run(items, million)
        .doOnNext(outcome -> ended.incrementAndGet())
        .blockLast();
    assertThat(ended).hasValue(million);
    assertThat(some).hasSize(1_000);
    assertThat(alive).hasValueBetween(0, 2);
  }

  @Test
  void anErrorOfTheItemsEndsTheRunWhenWhatIsUnderWayHasEnded() {
    Throwable broken = new IOException("file");
    StepVerifier.create(
            of(item -> after(Duration.ofSeconds(5), "page"))
                .run(Flux.range(0, 3).concatWith(Mono.error(broken)))
                .map(Outcome::item))
        .then(() -> pass(Duration.ofSeconds(5)))
        .expectNext(0, 1, 2)
        .verifyErrorMatches(error -> error == broken);
  }

  @Test
  void cancellingCancelsWhatIsUnderWayAndTellsOnceMore() {
    List<Progress> told = new ArrayList<>();
    TestPublisher<String> call = TestPublisher.create();
    TestPublisher<Integer> items = TestPublisher.create();
    StepVerifier.create(
            Bulk.builder((Integer item) -> item == 0 ? Mono.just("page") : call.mono())
                .onProgress(Duration.ofSeconds(1), told::add)
                .scheduler(time)
                .build()
                .run(items.flux()))
        .then(() -> items.next(1, 0))
        .expectNextCount(1)
        .thenCancel()
        .verify();
    call.assertCancelled();
    items.assertCancelled();
    assertThat(told).extracting(Progress::done).containsExactly(1L);
    pass(Duration.ofSeconds(10));
    assertThat(told).hasSize(1);
  }

  @Test
  void progressIsToldAtIntervalsAndWhenTheRunEnds() {
    List<Progress> told = new ArrayList<>();
    paced()
        .onProgress(Duration.ofSeconds(2), told::add)
        .build()
        .run(Flux.range(0, 105), 105)
        .subscribe(outcomes::add);
    pass(Duration.ofSeconds(20));
    assertThat(outcomes).hasSize(105);
    assertThat(told).extracting(Progress::done).containsExactly(20L, 40L, 60L, 80L, 100L, 105L);
    Progress some = told.get(2);
    assertThat(some.total()).hasValue(105);
    assertThat(some.perSecond()).isBetween(9.9, 10.2);
    assertThat(some.eta().orElseThrow()).isBetween(Duration.ofMillis(4_400), Duration.ofMillis(4_600));
    assertThat(some.isRateLimited()).isFalse();
    assertThat(told.get(5).eta()).contains(Duration.ZERO);
  }

  @Test
  void theLastProgressComesBeforeTheEndAlsoOfAnEmptyOrABrokenRun() {
    for (Flux<Integer> items : List.of(Flux.<Integer>empty(), Flux.<Integer>error(new IOException("file")))) {
      List<Object> seen = new ArrayList<>();
      paced()
          .onProgress(Duration.ofSeconds(1), progress -> seen.add(progress.done()))
          .build()
          .run(items)
          .subscribe(outcomes::add, error -> seen.add("end"), () -> seen.add("end"));
      pass(Duration.ofSeconds(5));
      assertThat(seen).containsExactly(0L, "end");
    }
  }

  @Test
  void withoutATotalThereIsARateAndNoEta() {
    List<Progress> told = new ArrayList<>();
    paced().onProgress(Duration.ofSeconds(1), told::add).build().run(Flux.range(0, 50)).subscribe();
    pass(Duration.ofSeconds(3));
    assertThat(told).hasSize(3).allMatch(progress -> progress.perSecond() > 9 && progress.eta().isEmpty());
  }

  @Test
  void itemsThatComeLessOftenThanProgressIsToldHaveARateToo() {
    pacer.defaultPace(Pace.perMinute(6));
    List<Progress> told = new ArrayList<>();
    paced().onProgress(Duration.ofMillis(250), told::add).build().run(Flux.range(0, 100), 100).subscribe();
    pass(Duration.ofMinutes(5));
    assertThat(told.subList(240, 1_200))
        .allMatch(progress -> progress.perSecond() > 0.08 && progress.perSecond() < 0.13);
  }

  @Test
  void progressSaysHowLongItIsRateLimitedAndTheEtaCountsThat() {
    List<Progress> told = new ArrayList<>();
    paced()
        .watching(() -> pacer.remaining(KEY))
        .onProgress(Duration.ofSeconds(1), told::add)
        .build()
        .run(Flux.range(0, 200), 200)
        .subscribe(outcomes::add);
    pass(Duration.ofMillis(5_500));
    pacer.coolDown(KEY, Duration.ofSeconds(20));
    pass(Duration.ofSeconds(10));
    Progress inside = told.get(told.size() - 1);
    assertThat(inside.isRateLimited()).isTrue();
    assertThat(inside.cooldownLeft()).isEqualTo(Duration.ofMillis(10_500));
    assertThat(inside.perSecond()).as("as it was when the gate was open").isBetween(9.0, 11.0);
    assertThat(inside.eta().orElseThrow()).isBetween(Duration.ofSeconds(22), Duration.ofSeconds(27));
    pass(Duration.ofSeconds(30));
    assertThat(states()).containsEntry(Outcome.State.SUCCEEDED, 200L);
    assertThat(told.get(told.size() - 2).isRateLimited()).isFalse();
    assertThat(told.get(told.size() - 2).perSecond()).isBetween(9.0, 11.0);
  }

  @Test
  void aListenerThatThrowsIsNotFelt() {
    AtomicInteger told = new AtomicInteger();
    paced()
        .onProgress(
            Duration.ofSeconds(1),
            progress -> {
              told.incrementAndGet();
              throw new IllegalStateException("bar");
            })
        .build()
        .run(Flux.range(0, 30))
        .subscribe(outcomes::add);
    pass(Duration.ofSeconds(5));
    assertThat(states()).containsEntry(Outcome.State.SUCCEEDED, 30L);
    assertThat(told).hasValue(3);
  }

  @Test
  void theListenerIsToldByOneAtATimeAndOfTheEndLast() throws InterruptedException {
    Sinks.Empty<Void> entered = Sinks.empty();
    Sinks.Empty<Void> mayLeave = Sinks.empty();
    List<String> seen = new ArrayList<>();
    Sinks.Many<Integer> items = Sinks.many().unicast().onBackpressureBuffer();
    Bulk.builder((Integer item) -> Mono.just("page"))
        .onProgress(
            Duration.ofSeconds(1),
            progress -> {
              seen.add("told of " + progress.done());
              entered.tryEmitEmpty();
              mayLeave.asMono().block();
              seen.add("left");
            })
        .scheduler(time)
        .build()
        .run(items.asFlux())
        .subscribe(outcomes::add);
    Thread ticking = new Thread(() -> pass(Duration.ofSeconds(1)));
    ticking.start();
    entered.asMono().block();
    items.tryEmitNext(1);
    items.tryEmitComplete(); // does not wait for the listener
    mayLeave.tryEmitEmpty();
    ticking.join();
    pass(Duration.ofSeconds(10));
    assertThat(seen).containsExactly("told of 0", "left", "told of 1", "left");
  }

  /** A tick may be on its way when it is disposed of. */
  @Test
  void aTickThatComesAfterTheEndTellsNothing() {
    AtomicReference<Runnable> tick = new AtomicReference<>();
    Disposable ticks = Disposables.single();
    Scheduler late =
        new Scheduler() {
          @Override
          public Disposable schedulePeriodically(Runnable task, long delay, long period, TimeUnit unit) {
            tick.set(task);
            return ticks;
          }

          @Override
          public Disposable schedule(Runnable task) {
            throw new AssertionError("nothing else to do");
          }

          @Override
          public Worker createWorker() {
            throw new AssertionError("nothing else to do");
          }
        };
    AtomicInteger told = new AtomicInteger();
    Bulk.builder((Integer item) -> Mono.just("page"))
        .onProgress(Duration.ofSeconds(1), progress -> told.incrementAndGet())
        .scheduler(late)
        .build()
        .run(Flux.range(0, 3).doOnNext(item -> tick.get().run()))
        .subscribe(outcomes::add);
    assertThat(told).hasValue(4);
    assertThat(ticks.isDisposed()).isTrue();
    tick.get().run();
    assertThat(told).hasValue(4);
  }

  @Test
  void inACooldownBeyondTheBudgetTheRestIsSkippedAtOnceAndNobodyIsAsked() {
    paced().concurrency(4).build().run(Flux.range(0, 10_000)).subscribe(outcomes::add);
    pass(Duration.ofSeconds(5));
    int before = claims.get();
    Duration start = now();
    pacer.coolDown(KEY, Duration.ofHours(2));
    pass(Duration.ofMillis(1));
    assertThat(outcomes).hasSize(10_000);
    assertThat(states()).containsEntry(Outcome.State.SKIPPED, 10_000L - 51);
    assertThat(outcomes.stream().filter(outcome -> outcome.state() == Outcome.State.SKIPPED))
        .allMatch(outcome -> outcome.retryAfter().equals(Optional.of(Duration.ofHours(2))));
    assertThat(claims.get() - before).isLessThanOrEqualTo(1);
    assertThat(now().minus(start)).isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void whatWasSkippedCanBeRunAgain() {
    pacer.coolDown(KEY, Duration.ofHours(2));
    Bulk<Integer, String> bulk = paced().build();
    bulk.run(Flux.range(0, 10)).subscribe(outcomes::add);
    assertThat(states()).containsOnly(Map.entry(Outcome.State.SKIPPED, 10L));
    List<Integer> skipped = outcomes.stream().map(Outcome::item).toList();
    outcomes.clear();
    pass(Duration.ofHours(2));
    bulk.run(Flux.fromIterable(skipped)).subscribe(outcomes::add);
    pass(Duration.ofSeconds(10));
    assertThat(states()).containsOnly(Map.entry(Outcome.State.SUCCEEDED, 10L));
  }

  @Test
  @DisplayName("C111: 500 items, concurrency 16, 5/s, 429 Retry-After 120 from call 50 on for 120 s: none is lost")
  void aFloodOf429sLosesNoItem() {
    pacer.defaultPace(Pace.perSecond(5));
    List<Long> sent = new ArrayList<>();
    AtomicLong limitedUntil = new AtomicLong();
    Mono<String> vendor =
        Mono.defer(
            () -> {
              sent.add(time.now(TimeUnit.SECONDS));
              if (sent.size() == 50) {
                limitedUntil.set(now().toMillis() + 120_000);
              }
              if (now().toMillis() < limitedUntil.get()) {
                pacer.coolDown(KEY, Duration.ofSeconds(120));
                return Mono.error(
                    new RefusedException(KEY, new Refusal("GET", 429, Optional.of(Duration.ofSeconds(120)), 1)));
              }
              return after(Duration.ofMillis(300), "page");
            });
    Bulk.builder(
            (Integer item) ->
                Mono.defer(() -> pacer.reserve(KEY).then(vendor)).retry(3))
        .concurrency(16)
        .build()
        .run(Flux.range(0, 500))
        .subscribe(outcomes::add);
    pass(Duration.ofSeconds(400));
    assertThat(states()).containsOnly(Map.entry(Outcome.State.SUCCEEDED, 500L));
    assertThat(sent.size() - 500).as("sent again").isLessThanOrEqualTo(16);
  }

  @Test
  @DisplayName("C095, C096: a bulk run makes others wait for no more than its concurrency, and of low priority not at all")
  void aBulkRunIsNotInTheWayOfOthers() {
    for (Priority priority : List.of(Priority.NORMAL, Priority.BULK)) {
      String key = priority.name();
      Call call = Call.ONE.priority(priority);
      Bulk.builder((Integer item) -> pacer.reserve(key, call))
          .concurrency(8)
          .build()
          .run(Flux.range(0, 10_000))
          .subscribe();
      pass(Duration.ofSeconds(3));
      List<Duration> waits = new ArrayList<>();
      pacer.reserve(key).subscribe(waits::add);
      pass(Duration.ofSeconds(5));
      assertThat(waits).hasSize(1);
      assertThat(waits.get(0)).isLessThanOrEqualTo(Duration.ofMillis(priority == Priority.BULK ? 200 : 1_000));
    }
  }

  @Test
  void callsSeeTheSubscribersContextAlsoAfterAWait() {
    Bulk.builder(
            (Integer item) ->
                pacer.reserve(KEY).then(Mono.deferContextual(context -> Mono.just(context.<String>get("who")))))
        .build()
        .run(Flux.range(0, 100))
        .contextWrite(context -> context.put("who", "me"))
        .subscribe(outcomes::add);
    pass(Duration.ofSeconds(20));
    assertThat(outcomes).hasSize(100).allMatch(outcome -> outcome.result().equals(Optional.of("me")));
  }

  @Test
  void settingsThatCannotBeAreRefused() {
    assertThatThrownBy(() -> paced().concurrency(0)).hasMessage("concurrency must be at least 1, was 0");
    assertThatThrownBy(() -> paced().onProgress(Duration.ZERO, progress -> {})).hasMessageContaining("was PT0S");
    assertThatThrownBy(() -> paced().build().run(Flux.empty(), -1)).hasMessage("total must not be negative, was -1");
    assertThatThrownBy(
            () -> new Outcome<>(1, Outcome.State.FAILED, Optional.of("page"), Optional.empty(), Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
