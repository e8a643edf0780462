package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

/** One signal, one timer, and onlookers who come and leave. */
class OpeningTest {

  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final AtomicInteger signals = new AtomicInteger();
  private long shutUntil = Duration.ofSeconds(10).toNanos();

  private Opening opening(Scheduler timer) {
    Settings settings =
        new Settings(
            new LocalCursor(time), new Paces(new HashMap<>(), key -> null, null), timer, new Handover(time),
            PacerListener.NONE, new RoundTrips(1), Backoff.DEFAULT, new Suspension(), 1, 1);
    Opening opening = new Opening(settings, shutUntil);
    opening.await(signals::incrementAndGet);
    return opening;
  }

  private Watcher join(Opening opening) {
    return Watcher.of(Mono.create(opening::join), time);
  }

  @Test
  void theSignalIsGivenOnceAndTheTimerSetAgainIfItIsTooEarly() {
    Opening opening = opening(time);
    time.advanceTimeBy(Duration.ofSeconds(5));
    assertThat(opening.lasts(Duration.ofSeconds(20).toNanos())).isTrue();
    time.advanceTimeBy(Duration.ofSeconds(14));
    assertThat(signals).hasValue(0);
    time.advanceTimeBy(Duration.ofSeconds(100));
    assertThat(signals).hasValue(1);
    assertThat(opening.lasts(Duration.ofSeconds(900).toNanos())).as("that is another cooldown").isFalse();
  }

  @Test
  void whoLeavesLeavesNothing() {
    Opening opening = opening(time);
    List<Watcher> watchers = Stream.generate(() -> join(opening)).limit(1_000).toList();
    assertThat(opening.onlookers()).isEqualTo(1_000);
    watchers.forEach(Watcher::cancel);
    assertThat(opening.onlookers()).isZero();
  }

  @Test
  void norDoesWhoHasLeftBeforeItIsIn() {
    Opening opening = opening(time);
    Watcher watcher = Watcher.of(Mono.create(onlooker -> time.schedule(() -> opening.join(onlooker), 1, TimeUnit.SECONDS)), time);
    watcher.cancel();
    time.advanceTimeBy(Duration.ofSeconds(2));
    assertThat(opening.onlookers()).isZero();
  }

  @Test
  void norDoesWhoWasTold() {
    Opening opening = opening(time);
    Watcher watcher = join(opening);
    time.advanceTimeBy(Duration.ofSeconds(10));
    assertThat(watcher.at).isEqualTo(Duration.ofSeconds(10).toNanos());
    assertThat(opening.onlookers()).isZero();
  }

  @Test
  void whoComesTooLateIsToldAllTheSame() {
    Opening opening = opening(time);
    opening.end(null);
    opening.end(new IllegalStateException("too late"));
    assertThat(join(opening).completed()).isTrue();
    assertThat(opening.onlookers()).isZero();
    assertThat(signals).hasValue(1);
  }

  @Test
  void withoutATimerItEndsWithThatAsTheReason() {
    Scheduler disposed = Schedulers.newSingle("gone");
    disposed.dispose();
    shutUntil = disposed.now(TimeUnit.NANOSECONDS) + Duration.ofDays(1).toNanos();
    assertThat(join(opening(disposed)).error).isInstanceOf(RejectedExecutionException.class);
    assertThat(signals).hasValue(1);
  }
}
