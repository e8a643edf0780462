package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.CursorException.Extent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A fallback around a cursor that somebody else has written, and that does what none should. */
class ForeignCursorTest {

  private static final CursorException AWAY = new CursorException("away", null, Extent.ALL);
  private static final CursorException LOCKED = new CursorException("locked", null, Extent.KEY);

  private final World world = new World();
  private final List<String> said = new ArrayList<>();
  private final Foreign cursor = new Foreign(world.cursor);

  private final class Foreign extends Wrapped {
    @Nullable RuntimeException takes;
    @Nullable RuntimeException checksIn;
    @Nullable RuntimeException coolsDown;
    boolean away;
    boolean locked;
    boolean silent;
    Duration slow = Duration.ZERO;
    boolean countsNobody;
    int checkIns;
    int stops;

    Foreign(Cursor cursor) {
      super(cursor);
    }

    @Override
    public Mono<Grant> take(Claim claim) {
      if (takes != null) {
        throw takes;
      }
      return away ? Mono.error(AWAY) : locked ? Mono.error(LOCKED) : super.take(claim);
    }

    @Override
    public Mono<Cooldown> coolDown(Stop stop) {
      stops++;
      if (coolsDown != null) {
        throw coolsDown;
      }
      return locked ? Mono.error(LOCKED) : super.coolDown(stop);
    }

    @Override
    public Mono<Fleet> checkIn(long memoryNanos) {
      checkIns++;
      if (checksIn != null) {
        throw checksIn;
      }
      Mono<Fleet> answer = countsNobody ? Mono.empty() : super.checkIn(memoryNanos);
      Mono<Fleet> there = slow.isZero() ? answer : answer.delayElement(slow, world.time);
      return silent ? Mono.never() : away ? Mono.error(AWAY) : there;
    }
  }

  private Pacer pacer(Fallback fallback) {
    return world
        .builder()
        .cursor(cursor)
        .fallback(fallback)
        .defaultPace(Pace.perSecond(10))
        .listener(
            new PacerListener() {
              @Override
              public void degraded(@Nullable String key, Throwable why) {
                said.add("degraded");
              }

              @Override
              public void recovered(Duration away, long claims) {
                said.add("recovered");
              }
            })
        .build();
  }

  private void pass(double seconds) {
    world.pass(World.seconds(seconds));
  }

  @Test
  @DisplayName("P14: one that throws instead of failing fails that call, and nothing is degraded")
  void aClaimThatThrowsFailsOneCall() {
    Pacer pacer = pacer(Fallback.DEFAULT);
    cursor.takes = new IllegalStateException("no such key");
    Caller bad = world.call(pacer);
    cursor.takes = null;
    pass(5);
    assertThat(bad.error).hasMessage("no such key");
    assertThat(said).isEmpty();
  }

  @Test
  @DisplayName("P8: one whose check-in throws serves its calls, and is asked again")
  void aCheckInThatThrowsHoldsNobodyUp() {
    Pacer pacer = pacer(Fallback.DEFAULT);
    cursor.checksIn = new IllegalStateException("no check-in");
    Caller call = world.call(pacer);
    pass(25);
    assertThat(call.passed()).isTrue();
    assertThat(cursor.checkIns).isGreaterThan(1);
  }

  @Test
  @DisplayName("P11: one whose check-in is never answered is asked again, and shared when it answers")
  void aCheckInThatIsNeverAnsweredIsNotTheLast() {
    Pacer pacer = pacer(Fallback.DEFAULT);
    world.call(pacer);
    pass(1);
    cursor.away = true;
    world.call(pacer);
    pass(1);
    cursor.silent = true;
    pass(10);
    cursor.silent = false;
    cursor.away = false;
    assertThat(pacer.isDegraded()).isTrue();
    pass(10);
    assertThat(pacer.isDegraded()).isFalse();
  }

  @Test
  void aStopThatCannotBeToldDoesNotKeepItFromComingBack() {
    Pacer pacer = pacer(Fallback.DEFAULT);
    world.call(pacer);
    pass(1);
    cursor.away = true;
    world.call(pacer);
    pass(1);
    pacer.coolDown(World.KEY, Duration.ofSeconds(100));
    cursor.away = false;
    cursor.coolsDown = new IllegalStateException("cannot tell");
    pass(6);
    assertThat(pacer.isDegraded()).isFalse();
    assertThat(said).containsExactly("degraded", "recovered");
  }

  @Test
  @DisplayName("P6: a cooldown that was learnt alone is told also to one that has nothing to tell at a check-in")
  void aCooldownIsToldToOneThatCountsNobody() {
    cursor.countsNobody = true;
    Pacer pacer = pacer(Fallback.DEFAULT);
    world.call(pacer);
    pass(1);
    cursor.away = true;
    world.call(pacer);
    pass(1);
    pacer.coolDown(World.KEY, Duration.ofSeconds(100));
    assertThat(cursor.stops).isZero();
    cursor.away = false;
    pass(6);
    assertThat(cursor.stops).isOne();
  }

  @Test
  @DisplayName("P6: a cooldown of a locked key is told when that is not locked any more, also without heartbeats")
  void aCooldownOfALockedKeyIsToldWithoutHeartbeats() {
    Pacer pacer = pacer(Fallback.DEFAULT.heartbeat(Duration.ZERO));
    world.call(pacer);
    pass(1);
    cursor.locked = true;
    world.call(pacer);
    pass(1);
    pacer.coolDown(World.KEY, Duration.ofSeconds(100));
    pass(6);
    cursor.locked = false;
    pass(6);
    assertThat(world.cursor.cooldown(World.KEY).remainingNanos()).isPositive();
    int checkIns = cursor.checkIns;
    pass(60);
    assertThat(cursor.checkIns).isEqualTo(checkIns);
  }

  @Test
  @DisplayName("C072: one that is always slower than the patience is not asked again and again without a pause")
  void aSlowOneIsAskedOnceALatch() {
    Pacer pacer = pacer(Fallback.DEFAULT.patience(Duration.ofMillis(10)));
    world.call(pacer);
    pass(1);
    cursor.away = true;
    world.call(pacer);
    pass(1);
    cursor.away = false;
    cursor.slow = Duration.ofMillis(15);
    int before = cursor.checkIns;
    pass(60);
    assertThat(cursor.checkIns - before).isBetween(10, 14);
    cursor.slow = Duration.ZERO;
    pass(6);
    assertThat(pacer.isDegraded()).isFalse();
  }
}
