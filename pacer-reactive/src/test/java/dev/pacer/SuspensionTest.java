package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A pacer that is suspended for a while. */
class SuspensionTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final World world = new World();
  private final Wire wire = new Wire(world.cursor, Duration.ofMillis(2), world.time);
  private final List<String> said = new ArrayList<>();
  private final Pacer pacer =
      world
          .builder()
          .cursor(wire)
          .defaultPace(Pace.perSecond(10))
          .listener(
              new PacerListener() {
                @Override
                public void degraded(@Nullable String key, Throwable why) {
                  said.add("degraded");
                }

                @Override
                public void lost(String key, long permits) {
                  said.add("lost " + permits);
                }
              })
          .build();

  @Test
  void nothingGoesAndNothingIsAskedForUntilItGoesOn() {
    List<Caller> calls = world.calls(pacer, 20);
    world.pass(SECOND);
    pacer.suspend().block();
    long before = passed(calls);
    int claims = wire.claims.size();
    Caller late = world.call(pacer);
    world.pass(Duration.ofSeconds(60));
    assertThat(passed(calls)).isEqualTo(before);
    assertThat(late.waits()).isTrue();
    assertThat(wire.claims).hasSize(claims);
    assertThat(wire.checkIns).isOne();
    pacer.resume();
    world.pass(Duration.ofSeconds(3));
    assertThat(passed(calls)).isEqualTo(20);
    assertThat(late.passed()).isTrue();
    assertThat(wire.checkIns).isEqualTo(2);
  }

  private static long passed(List<Caller> calls) {
    return calls.stream().filter(Caller::passed).count();
  }

  @Test
  void aSlotOfBeforeIsNotUsedAfterwards() {
    List<Caller> calls = world.calls(pacer, 3);
    world.pass(Duration.ofMillis(20)); // one has gone, and the next has its slot
    assertThat(passed(calls)).isOne();
    int claims = wire.claims.size();
    pacer.suspend().block();
    pacer.resume();
    world.pass(SECOND);
    assertThat(passed(calls)).isEqualTo(3);
    assertThat(said).contains("lost 1");
    assertThat(wire.claims.size()).isGreaterThan(claims);
  }

  @Test
  void aSlotThatWasAskedForBeforeIsNotUsedAfterwards() {
    world.call(pacer);
    world.pass(Duration.ofMillis(3)); // the answer is on its way
    pacer.suspend().block();
    pacer.resume();
    world.pass(SECOND);
    assertThat(said).containsExactly("lost 1");
    assertThat(wire.claims).hasSize(2);
  }

  @Test
  void connectionsThatAreClosedForItAreNoOutage() {
    world.call(pacer);
    world.pass(SECOND);
    Caller call = world.call(pacer);
    wire.state = Wire.State.CUT;
    pacer.suspend().block();
    world.pass(Duration.ofSeconds(30));
    assertThat(said).containsExactly("lost 1");
    wire.up();
    pacer.resume();
    world.pass(SECOND);
    assertThat(call.passed()).isTrue();
    assertThat(pacer.isDegraded()).isFalse();
  }

  @Test
  void budgetsPassMeanwhile() {
    Caller call = world.call(pacer, Call.ONE.maxWait(SECOND));
    pacer.suspend().block();
    world.pass(Duration.ofSeconds(5));
    assertThat(call.refusal()).isNotNull();
  }

  @Test
  void suspendedTwiceItGoesOnAtTheFirstWord() {
    pacer.suspend().block();
    pacer.suspend().block();
    pacer.resume();
    Caller call = world.call(pacer);
    world.pass(SECOND);
    assertThat(call.passed()).isTrue();
    pacer.resume();
    Caller next = world.call(pacer);
    world.pass(SECOND);
    assertThat(next.passed()).isTrue();
  }

  @Test
  void whatTheVendorSaysMeanwhileOpensNoConnectionAndIsToldAfterwards() {
    world.call(pacer);
    world.pass(SECOND);
    pacer.suspend().block();
    pacer.coolDown(World.KEY, Duration.ofSeconds(100));
    world.pass(SECOND);
    assertThat(wire.stops).isEmpty();
    pacer.resume();
    pacer.reserve("another").subscribe();
    world.pass(SECOND);
    assertThat(wire.stops).hasSize(1);
  }

  @Test
  void callsGoOnWaitingAlsoWithoutAFallback() {
    Pacer strict = world.builder().cursor(wire).defaultPace(Pace.perSecond(10)).noFallback().build();
    wire.state = Wire.State.CUT; // as by the end of the connection
    Caller call = world.call(strict);
    strict.suspend().block();
    world.pass(SECOND);
    assertThat(call.waits()).isTrue();
    wire.up();
    strict.resume();
    world.pass(SECOND);
    assertThat(call.passed()).isTrue();
  }
}
