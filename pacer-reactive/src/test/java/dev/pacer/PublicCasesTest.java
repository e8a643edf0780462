package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases that others met, of the kinds overshoot, undershoot, extreme rates and overflow. */
class PublicCasesTest {

  private final World world = new World();

  @DisplayName("C001: an idle time earns no burst")
  @Test
  void idleTimeEarnsNothing() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    List<Caller> calls = new ArrayList<>(world.calls(pacer, 3));
    world.pass(Duration.ofSeconds(6));
    List<Caller> again = world.calls(pacer, 3);
    world.pass(Duration.ofSeconds(6));
    List<Duration> expected = List.of(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(2));
    assertThat(World.waits(calls)).isEqualTo(expected);
    assertThat(World.waits(again)).isEqualTo(expected);
  }

  @DisplayName("C002 (a): ten calls just before a second's end are 200 ms apart like any other")
  @Test
  void thereAreNoWindowBoundaries() {
    Pacer pacer = world.pacer(Pace.perSecond(5));
    world.pass(Duration.ofMillis(999));
    List<Caller> calls = world.calls(pacer, 10);
    world.pass(Duration.ofSeconds(3));
    assertThat(World.times(calls))
        .containsExactly(IntStream.range(0, 10).mapToObj(i -> 999_000_000L + i * 200_000_000L).toArray(Long[]::new));
  }

  @DisplayName("C002 (b): with 15 % headroom at most 49 of 50 arrive in a second, whatever delay up to 120 ms they met")
  @Test
  void headroomAbsorbsTheNetwork() {
    Pace pace = Pace.perSecond(50).headroom(0.15);
    Pacer pacer = world.pacer(pace);
    List<Caller> calls = world.calls(pacer, 101);
    world.pass(Duration.ofSeconds(5));
    List<Long> sent = World.times(calls);
    assertThat(IntStream.range(1, 101).mapToLong(i -> sent.get(i) - sent.get(i - 1))).allMatch(gap -> gap >= 20_000_000);
    // at worst, what was sent in 1.12 s arrives in one
    List<Window.Spent> line = sent.stream().map(at -> new Window.Spent(at, 1)).toList();
    assertThat(Window.most(line, 1_120_000_000)).isLessThanOrEqualTo(48);
  }

  @DisplayName("C003: four pacers on one cursor have one ceiling; with a cursor each they have four")
  @ParameterizedTest
  @CsvSource({"true, 19.9", "false, 4.9"})
  void pacersThatShareACursorShareTheCeiling(boolean shared, double span) {
    List<Caller> calls = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Cursor cursor = shared ? world.cursor : new LocalCursor(world.time);
      Pacer pacer = world.builder().cursor(cursor).defaultPace(Pace.perSecond(10)).build();
      calls.addAll(world.calls(pacer, 50));
    }
    world.pass(Duration.ofSeconds(30));
    List<Long> times = World.times(calls);
    assertThat(times).hasSize(200);
    assertThat(times.get(199) - times.get(0)).isEqualTo(World.seconds(span).toNanos());
    assertThat(IntStream.range(1, 200).allMatch(i -> times.get(i) - times.get(i - 1) >= 100_000_000)).isEqualTo(shared);
  }

  @DisplayName("C010: above 1 000/s: exact to the nanosecond")
  @ParameterizedTest
  @CsvSource({"2000, 4.9995", "5000, 1.9998", "10000, 0.9999", "1000000, 0.009999"})
  void fastPacesAreExact(double perSecond, double span) {
    Pacer pacer = world.pacer(Pace.perSecond(perSecond));
    List<Caller> calls = world.calls(pacer, 10_000);
    world.pass(Duration.ofSeconds(6));
    List<Long> times = World.times(calls);
    assertThat(times).hasSize(10_000);
    assertThat(times.get(9_999)).isEqualTo(World.seconds(span).toNanos());
  }

  @DisplayName("C010: behind a network the whole pace is used")
  @ParameterizedTest
  @CsvSource({"7, 0.001", "7, 0.03", "100, 0.03", "2000, 0.001", "2000, 0.03", "20000, 0.005"})
  void theWholePaceIsUsed(double perSecond, double roundTrip) {
    Cursor distant = new DistantCursor(world.cursor, world.time, World.seconds(roundTrip).toNanos());
    Pacer pacer = world.builder().cursor(distant).defaultPace(Pace.perSecond(perSecond)).maxWait(Duration.ofHours(1)).build();
    int n = (int) Math.max(100, perSecond * 2);
    List<Caller> calls = world.calls(pacer, n);
    world.pass(World.seconds(2 * n / perSecond));
    List<Long> times = World.times(calls);
    assertThat(times).hasSize(n);
    int first = n / 20; // the first claim is for the first call alone
    double span = (times.get(n - 1) - times.get(first)) / 1e9;
    assertThat((n - 1 - first) / span / perSecond).isBetween(0.99, 1 + 2_100_000 / (span * 1e9));
  }

  @DisplayName("one per 366 days: the second call is refused, as for any pace that is slower than the budget")
  @ParameterizedTest
  @ValueSource(ints = {150, 209, 366})
  void theSlowestPacesAreNotUnlimited(int days) {
    Pacer pacer = world.pacer(Pace.of(1, Duration.ofDays(days)));
    Caller first = world.call(pacer);
    assertThat(first.waited).isZero();
    for (int i = 0; i < 3; i++) {
      assertThat(world.call(pacer).refusal().waitNeeded())
          .isEqualTo(Duration.ofDays(days).minus(Duration.ofSeconds(i)));
      world.pass(Duration.ofSeconds(1));
    }
    assertThat(world.heard.clamped).hasValue(0);
  }

  @DisplayName("the slowest pace with a burst: the burst, and no more")
  @ParameterizedTest
  @CsvSource({"3, 183, 2", "1999, 366, 1000", "1000, 200, 500", "2, 30, 2"})
  void theSlowestBurstsAreNotUnlimited(int permits, int days, int burst) {
    Pacer pacer = world.pacer(Pace.of(permits, Duration.ofDays(days)).burst(burst));
    List<Caller> calls = world.calls(pacer, burst + 20);
    world.pass(Duration.ofNanos(burst)); // each step is rounded up
    assertThat(calls.stream().filter(Caller::passed).count()).isEqualTo(burst);
    assertThat(calls.subList(burst, burst + 20)).allMatch(call -> call.error instanceof RateLimitedException);
    assertThat(world.call(pacer, Call.of(burst)).error).isInstanceOf(RateLimitedException.class);
    assertThat(world.heard.clamped).hasValue(0);
  }

  @DisplayName("costly calls of the slowest pace, all at once: the first passes, the rest is refused")
  @Test
  void costlyCallsOfTheSlowestPaceDoNotOverflow() {
    Pacer pacer = world.pacer(Pace.of(1999, Duration.ofDays(366)).burst(1000));
    List<Caller> calls = world.calls(pacer, 5, Call.of(1000));
    assertThat(calls.get(0).passed()).isTrue();
    assertThat(calls.subList(1, 5)).allMatch(call -> call.error instanceof RateLimitedException);
    assertThat(calls.subList(1, 5)).allSatisfy(call -> assertThat(call.refusal().waitNeeded()).isPositive());
  }

  @DisplayName("budgets of 30 days with a pace of days")
  @Test
  void theLongestBudgetIsServed() {
    Pacer pacer = world.builder().defaultPace(Pace.of(1, Duration.ofDays(7))).maxWait(Duration.ofDays(30)).build();
    List<Caller> calls = world.calls(pacer, 6);
    assertThat(calls.get(5).refusal().waitNeeded()).isEqualTo(Duration.ofDays(35));
    for (int i = 0; i < 60; i++) {
      world.pass(Duration.ofHours(12));
    }
    assertThat(World.waits(calls.subList(0, 5)))
        .isEqualTo(Stream.iterate(Duration.ZERO, d -> d.plusDays(7)).limit(5).toList());
  }

  @DisplayName("a burst: at once, then at its interval, and never more than N in the period")
  @Test
  void aBurstIsPartOfTheCeiling() {
    Pacer pacer = world.pacer(Pace.perSecond(10).burst(5));
    List<Caller> calls = new ArrayList<>(world.calls(pacer, 30));
    world.pass(Duration.ofSeconds(10));
    calls.addAll(world.calls(pacer, 30));
    world.pass(Duration.ofSeconds(10));
    List<Long> times = World.times(calls);
    assertThat(times.subList(0, 5)).allMatch(at -> at <= 1); // each step is rounded up
    assertThat(times.get(5)).isBetween(166_666_667L, 166_666_668L);
    assertThat(Window.most(times.stream().map(at -> new Window.Spent(at, 1)).toList(), 1_000_000_000)).isEqualTo(10);
  }

  @DisplayName("a call that costs more than the burst is refused, with the reason")
  @Test
  void aCallThatCostsMoreThanTheBurst() {
    Pacer pacer = world.pacer(Pace.perSecond(10).burst(5));
    Caller call = world.call(pacer, Call.of(6));
    assertThat(call.error)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("at most the burst", "5", World.KEY, "were 6", "raise the burst");
    assertThat(world.cursor.size()).isZero();
  }

  @DisplayName("peek tells the wait, behind those who wait here too, and moves nothing")
  @Test
  void peekMovesNothing() {
    Pacer pacer = world.pacer(Pace.perSecond(10));
    assertThat(pacer.peek(World.KEY).block()).isZero();
    assertThat(world.cursor.size()).isZero();
    world.calls(pacer, 11);
    assertThat(pacer.peek(World.KEY).block()).isEqualTo(Duration.ofMillis(1_100));
    assertThat(pacer.peek(World.KEY).block()).isEqualTo(Duration.ofMillis(1_100));
    Caller next = world.call(pacer);
    world.pass(Duration.ofSeconds(3));
    assertThat(next.waited).isEqualTo(Duration.ofMillis(1_100));
  }
}
