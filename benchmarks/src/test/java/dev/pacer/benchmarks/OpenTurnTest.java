package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

@Timeout(30)
class OpenTurnTest {

  private static final Duration SLOW = Duration.ofMillis(200);

  /** Ten of the warm-up, which do not count, and ten a millisecond apart that do. */
  private static final long[] ARRIVALS =
      LongStream.concat(
              LongStream.range(0, 10),
              LongStream.range(0, 10).map(n -> OpenTurn.WARM_UP.toNanos() + n * 1_000_000))
          .toArray();

  /** Somebody who reserves like this, and has no store. */
  private record Storeless(Supplier<Mono<?>> reserving) implements Contender.Match {

    static Contender contender(Supplier<Mono<?>> reserving) {
      return new Contender("storeless", /* callers= */ 1, () -> new Storeless(reserving));
    }

    @Override
    public Mono<?> reserve() {
      return reserving.get();
    }

    @Override
    public double roundTrips() {
      return Double.NaN;
    }

    @Override
    public void close() {}
  }

  @Test
  void callsAreMadeThoughThoseBeforeThemHaveNotBeenServed() throws Exception {
    AtomicInteger made = new AtomicInteger();
    Contender lastOpensForAll =
        Storeless.contender(
            () -> {
              made.incrementAndGet();
              return Mono.delay(Duration.ofMillis(1)).repeat(() -> made.get() < ARRIVALS.length).then(Mono.just(1));
            });
    OpenTurn turn = OpenTurn.play(lastOpensForAll, ARRIVALS);
    assertThat(turn.latency().getTotalCount()).as("without the warm-up").isEqualTo(10);
  }

  /** Whoever holds up the caller's thread is charged for all that were to come meanwhile. */
  @Test
  void aCallIsMeasuredFromWhenItWasToCome() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Contender slowOnce =
        Storeless.contender(
            () -> {
              long until = System.nanoTime() + SLOW.toNanos();
              while (calls.get() == 10 && System.nanoTime() - until < 0) {
                LockSupport.parkNanos(until - System.nanoTime());
              }
              calls.incrementAndGet();
              return Mono.just(1);
            });
    OpenTurn turn = OpenTurn.play(slowOnce, ARRIVALS);
    long lastCameAfter = Duration.ofMillis(9).toNanos();
    assertThat(turn.latency().getMinValue()).isGreaterThan((SLOW.toNanos() - lastCameAfter) * 99 / 100);
    assertThat(turn.departure().getValueAtPercentile(50)).isGreaterThan((SLOW.toNanos() - lastCameAfter) * 99 / 100);
  }

  @Test
  void aCallThatFailsIsTold() {
    Contender failing = Storeless.contender(() -> Mono.error(new IllegalStateException("refused")));
    assertThatThrownBy(() -> OpenTurn.play(failing, new long[] {0, 1}))
        .hasMessage("storeless")
        .hasRootCauseMessage("refused");
  }
}
