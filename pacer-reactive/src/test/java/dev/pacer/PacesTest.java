package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacesTest {

  private final World world = new World();

  private Duration second(Pacer pacer, String key) {
    List<Duration> waits = new ArrayList<>();
    pacer.reserve(key).subscribe(waits::add);
    pacer.reserve(key).subscribe(waits::add);
    world.pass(Duration.ofSeconds(10));
    return waits.get(1);
  }

  @Test
  void byNameBeforeByFunctionBeforeTheDefault() {
    Pacer pacer = world.builder()
        .pace("named", Pace.perSecond(1))
        .paces(key -> key.startsWith("f") || key.equals("named") ? Pace.perSecond(2) : null)
        .defaultPace(Pace.perSecond(4))
        .build();
    assertThat(second(pacer, "named")).isEqualTo(World.seconds(1));
    assertThat(second(pacer, "function")).isEqualTo(World.seconds(0.5));
    assertThat(second(pacer, "other")).isEqualTo(World.seconds(0.25));
  }

  @Test
  void aKeyWithoutAPaceIsRefused() {
    Pacer pacer = world.builder().pace("named", Pace.perSecond(1)).build();
    Caller call = world.call(pacer);
    assertThat(call.error).isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll(World.KEY, "has none", "set a default");
    assertThat(pacer.size()).isZero();
    assertThat(second(pacer, "named")).isEqualTo(World.seconds(1));
    pacer.defaultPace(Pace.perSecond(2));
    assertThat(second(pacer, World.KEY)).isEqualTo(World.seconds(0.5));
  }

  @DisplayName("a faster pace takes hold within a quantum and an old interval, for those who wait already")
  @Test
  void aFasterPaceTakesHold() {
    Pacer pacer = world.pacer(Pace.perSecond(10));
    List<Caller> calls = world.calls(pacer, 200);
    world.pass(World.seconds(1));
    assertThat(World.times(calls)).hasSize(11);
    pacer.pace(World.KEY, Pace.perSecond(100));
    world.pass(World.seconds(1.2));
    assertThat(World.times(calls).size()).isBetween(110, 121);
  }

  @DisplayName("a slower pace takes hold within a quantum, for those who wait already")
  @Test
  void aSlowerPaceTakesHold() {
    Pacer pacer = world.pacer(Pace.perSecond(100));
    List<Caller> calls = world.calls(pacer, 200);
    world.pass(World.seconds(1));
    assertThat(World.times(calls)).hasSize(101);
    pacer.defaultPace(Pace.perSecond(10));
    world.pass(World.seconds(1));
    assertThat(World.times(calls).size()).isBetween(106, 121);
  }

  @DisplayName("C088: a slot far away under the old pace is given up for the new one, and never waited for longer")
  @ParameterizedTest
  @ValueSource(ints = {2, 60, 290, 901, 3_600, 86_400})
  void aFarAwaySlotIsGivenUp(int seconds) {
    Pacer pacer = world.builder().defaultPace(Pace.of(1, Duration.ofSeconds(seconds))).maxWait(Duration.ofDays(30)).build();
    List<Caller> calls = world.calls(pacer, 30);
    world.pass(World.seconds(0.5));
    pacer.defaultPace(Pace.perSecond(100));
    world.pass(Duration.ofSeconds(seconds));
    assertThat(World.times(calls)).as("one old interval, then the new pace").hasSize(30);
    assertThat(calls).allMatch(Caller::passed);
    List<Window.Spent> line = World.times(calls).stream().map(at -> new Window.Spent(at, 1)).toList();
    assertThat(Window.violation(line, Pace.perSecond(100).gcra(), 0)).isEmpty();
    assertThat(world.heard.clamped).as("nothing is corrupt").hasValue(0);
  }

  @DisplayName("C088: a far-away slot that others have booked behind is kept: another would be later still")
  @Test
  void aFarAwaySlotThatOthersBookedBehindIsKept() {
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.of(1, Duration.ofSeconds(100))).build();
    Caller call = world.call(pacer);
    cursor.grant(1, 100_000_000_000L, 100_000_000_000L, 1);
    pacer.defaultPace(Pace.perSecond(100));
    cursor.accept(false);
    world.pass(Duration.ofSeconds(100));
    assertThat(call.waited).isEqualTo(Duration.ofSeconds(100));
    assertThat(cursor.claims).hasSize(1);
  }

  @DisplayName("a burst that was spent is remembered when the burst is cut: no window has more than the greater pace allows")
  @Test
  void cuttingTheBurstForgetsNothing() {
    Pacer pacer = world.builder().defaultPace(Pace.perDay(1_000).burst(500)).maxWait(Duration.ofSeconds(1)).build();
    List<Caller> burst = world.calls(pacer, 500);
    world.pass(Duration.ofNanos(500));
    assertThat(burst).allMatch(Caller::passed);
    pacer.defaultPace(Pace.perDay(1_000));
    long more = 0;
    for (int i = 0; i < 24 * 60; i++) {
      world.pass(Duration.ofSeconds(59));
      more += world.call(pacer).passed() ? 1 : 0;
      world.pass(Duration.ofSeconds(1));
    }
    assertThat(500 + more).as("within a day").isLessThanOrEqualTo(1_000);
    assertThat(world.heard.clamped).as("nothing is corrupt").hasValue(0);
  }

  @DisplayName("a costly call that waits when the burst shrinks below its cost is told so, and those behind it go on")
  @Test
  void theBurstShrinksUnderACostlyCall() {
    Pacer pacer = world.pacer(Pace.perSecond(10).burst(5));
    world.calls(pacer, 5);
    Caller costly = world.call(pacer, Call.of(5));
    List<Caller> cheap = world.calls(pacer, 5);
    world.pass(World.seconds(0.2));
    pacer.pace(World.KEY, Pace.perSecond(10).burst(4));
    world.pass(World.seconds(2));
    assertThat(costly.error).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("raise the burst");
    assertThat(cheap).allMatch(Caller::passed);
    world.pass(World.seconds(10));
    assertThat(pacer.size()).isZero();
  }

  @DisplayName("a function that throws fails the calls of the moment, and the key goes on afterwards")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void aFunctionThatThrowsFailsTheCallOnly(int at) {
    for (Throwable fault : List.of(new IllegalStateException("no"), new AssertionError("no"))) {
      AtomicInteger asked = new AtomicInteger();
      Pacer pacer = world.builder().paces(key -> {
        if (asked.incrementAndGet() == at) {
          throw sneaky(fault);
        }
        return Pace.perSecond(1);
      }).build();
      Caller first = world.call(pacer);
      Caller second = world.call(pacer);
      world.pass(Duration.ofSeconds(3));
      assertThat(first.waits()).as("first, function failing at %s", at).isFalse();
      assertThat(second.waits()).as("second, function failing at %s", at).isFalse();
      Caller later = world.call(pacer);
      world.pass(Duration.ofSeconds(1));
      assertThat(later.passed()).isTrue();
      world.pass(Duration.ofSeconds(10));
      assertThat(pacer.size()).as("no lane is left").isZero();
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> RuntimeException sneaky(Throwable fault) throws T {
    throw (T) fault;
  }

  @Test
  void aFunctionThatTakesAwayThePaceFailsThoseWhoWait() {
    AtomicReference<Pace> pace = new AtomicReference<>(Pace.perSecond(1));
    Pacer pacer = world.builder().paces(key -> pace.get()).build();
    List<Caller> calls = world.calls(pacer, 5);
    pace.set(null);
    world.pass(Duration.ofSeconds(10));
    assertThat(calls.get(0).passed()).isTrue();
    assertThat(calls.subList(1, 5)).allSatisfy(call -> assertThat(call.error).isInstanceOf(IllegalArgumentException.class));
    pace.set(Pace.perSecond(1));
    assertThat(world.call(pacer).waited).isZero();
  }

  @DisplayName("C090: two paces for one key: never above the faster one")
  @Test
  void twoPacesForOneKey() {
    List<Caller> calls = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Pacer pacer = world.pacer(Pace.perSecond(i < 5 ? 10 : 1));
      calls.addAll(world.calls(pacer, 50));
    }
    world.pass(Duration.ofSeconds(20));
    List<Window.Spent> line = World.times(calls).stream().map(at -> new Window.Spent(at, 1)).toList();
    assertThat(line).hasSizeGreaterThan(20);
    assertThat(Window.violation(line, Pace.perSecond(10).gcra(), 0)).isEmpty();
    assertThat(world.heard.clamped).hasValue(0);
  }

  @DisplayName("two paces for one key, ten minutes and a hundredth of a second apart: never above the faster one")
  @Test
  void twoPacesFarApart() {
    Pacer slow = world.pacer(Pace.perHour(6)); // an interval above longestWait is corrupt to whoever does not know it
    Pacer fast = world.pacer(Pace.perSecond(100));
    List<Caller> calls = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      calls.add(world.call(slow, Call.ONE.maxWait(Duration.ZERO)));
      calls.add(world.call(fast, Call.ONE.maxWait(Duration.ZERO)));
      world.pass(Duration.ofMillis(5));
    }
    List<Window.Spent> line = World.times(calls).stream().map(at -> new Window.Spent(at, 1)).toList();
    assertThat(Window.violation(line, Pace.perSecond(100).gcra(), 0)).isEmpty();
  }
}
