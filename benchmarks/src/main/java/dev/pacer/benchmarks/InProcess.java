package dev.pacer.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.reactor.ratelimiter.operator.RateLimiterOperator;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import reactor.core.publisher.Mono;

/**
 * What a permit costs that is there at once, in one process and without a store, beside those who do nothing else: by a
 * call that would block if it had to wait, and as a step of a reactive chain from those who have one.
 *
 * <p>The others are given a ceiling that a thread cannot reach, and hold one limiter in hand. Pacer's is a million a second
 * for each key, so its keys take turns, and it has to look each of them up. The others do not queue, do not hear when a
 * vendor says stop, and share with nobody.
 *
 * <p>{@code java -jar benchmarks/target/benchmarks.jar InProcess -prof gc}
 */
public class InProcess extends JmhSettings {

  private static final String VALUE = "value";

  @Benchmark
  public @Nullable Duration pacer(LocalPacer local) {
    return local.pacer.reserve(local.nextKey()).block();
  }

  @Benchmark
  public boolean resilience4j(Rivals rivals) {
    return rivals.resilience4j.acquirePermission();
  }

  @Benchmark
  public boolean failsafe(Rivals rivals) throws InterruptedException {
    rivals.failsafe.acquirePermit();
    return true;
  }

  @Benchmark
  public double guava(Rivals rivals) {
    return rivals.guava.acquire();
  }

  @Benchmark
  public boolean bucket4j(Rivals rivals) throws InterruptedException {
    return rivals.bucket4j.asBlocking().tryConsume(1, Buckets.PATIENCE);
  }

  /** What the chain costs that the next three have in common. */
  @Benchmark
  public @Nullable String chainOfNobody() {
    return Mono.just(VALUE).transformDeferred(mono -> mono).block();
  }

  @Benchmark
  public @Nullable String chainOfPacer(LocalPacer local) {
    return Mono.just(VALUE).transformDeferred(local.pacer.pacedMono(local.nextKey())).block();
  }

  @Benchmark
  public @Nullable String chainOfResilience4j(Rivals rivals) {
    return Mono.just(VALUE).transformDeferred(RateLimiterOperator.of(rivals.resilience4j)).block();
  }

  /** It has no operator of Reactor's; this is what its documentation has for what must not block. */
  @Benchmark
  public @Nullable String chainOfBucket4j(Rivals rivals) {
    return Mono.fromFuture(() -> rivals.bucket4j.asScheduler().consume(1, rivals.timer))
        .then(Mono.just(VALUE))
        .block();
  }

  /** Each with a ceiling beyond what a thread can ask for, so that none of them waits. */
  @State(Scope.Thread)
  public static class Rivals {

    private static final int PER_SECOND = 1_000_000_000;

    /** Its documentation's way; the period is long enough not to be what is measured. */
    private final io.github.resilience4j.ratelimiter.RateLimiter resilience4j =
        io.github.resilience4j.ratelimiter.RateLimiter.of(
            "resilience4j",
            RateLimiterConfig.custom()
                .limitForPeriod(PER_SECOND)
                .limitRefreshPeriod(Duration.ofSeconds(1))
                .timeoutDuration(Buckets.PATIENCE)
                .build());

    /** The smooth one of its two, as pacer is. */
    private final dev.failsafe.RateLimiter<Object> failsafe =
        dev.failsafe.RateLimiter.smoothBuilder(Duration.ofNanos(1)).build();

    private final RateLimiter guava = RateLimiter.create(PER_SECOND);

    private final Bucket bucket4j =
        Bucket.builder()
            .addLimit(limit -> limit.capacity(PER_SECOND).refillGreedy(PER_SECOND, Duration.ofSeconds(1)))
            .build();

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @TearDown
    public void close() {
      timer.shutdownNow();
    }
  }
}
