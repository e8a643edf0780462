package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Callers who come back as soon as they are served share their statements. */
class LingerTest {

  private static final long ROUND_TRIP = 5_000_000;

  private final World world = new World();
  private final AtomicInteger claims = new AtomicInteger();
  private final Cursor distant =
      new Wrapped(new DistantCursor(world.cursor, world.time, ROUND_TRIP)) {
        @Override
        public Mono<Grant> take(Claim claim) {
          claims.incrementAndGet();
          return super.take(claim);
        }
      };

  @Test
  void callersWhoComeBackAtOnceAreAskedForTogether() {
    Pacer pacer = world.builder().cursor(distant).defaultPace(Pace.of(1_000_000, Duration.ofSeconds(1)).burst(1_000)).build();
    AtomicInteger served = new AtomicInteger();
    for (int i = 0; i < 100; i++) {
      pacer.reserve(World.KEY).doOnNext(waited -> served.incrementAndGet()).repeat().subscribe();
    }
    world.pass(Duration.ofNanos(40 * ROUND_TRIP));
    assertThat(claims.get()).isBetween(35, 41);
    assertThat(served.get()).as("nearly everybody in each round trip").isGreaterThan(90 * 35);
  }

  @Test
  void aCallerWhoDoesNotGoOnHoldsUpNoClaimForLong() {
    StubbornScheduler clock = new StubbornScheduler(world.time);
    Pacer pacer = world.builder().scheduler(clock).cursor(distant).defaultPace(Pace.perSecond(1_000).burst(10)).build();
    clock.holdBackHandOvers();
    World.call(clock, pacer, Call.ONE);
    world.pass(Duration.ofNanos(ROUND_TRIP));
    World.call(clock, pacer, Call.ONE);
    world.pass(Duration.ofNanos(900_000));
    assertThat(claims.get()).as("the first one has its slot, and may be back in a moment").isEqualTo(1);
    world.pass(Duration.ofNanos(200_000));
    assertThat(claims.get()).isEqualTo(2);
  }
}
