package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PaceTest {

  private static final Duration YEAR = Duration.ofDays(366);

  private static void refused(ThrowingCallable pace, String... said) {
    assertThatIllegalArgumentException().isThrownBy(pace).withMessageContainingAll(said);
  }

  @DisplayName("C012: a pace that is no pace is refused, with the rule and the value")
  @ParameterizedTest
  @ValueSource(doubles = {0, -0.0, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void whatIsNoPaceIsRefused(double permits) {
    refused(() -> Pace.perSecond(permits), "permits must be positive and finite", "was " + permits);
  }

  @DisplayName("C012: too slow or too fast is refused, never rounded to unlimited")
  @Test
  void extremesAreRefused() {
    refused(() -> Pace.perSecond(Double.MIN_VALUE), "at least one per PT8784H", "was 0.000");
    refused(() -> Pace.perSecond(Long.MAX_VALUE), "at most 1000000 per second", "was 9.223372036854776E18 per PT1S");
    refused(() -> Pace.perSecond(Double.MAX_VALUE), "at most 1000000 per second");
    refused(() -> Pace.perSecond(Math.nextUp(1e6)), "at most 1000000 per second", "1000000.0000000001");
    refused(() -> Pace.of(1, Duration.ofNanos(999)), "at most 1000000 per second");
    refused(() -> Pace.of(1, YEAR.plusNanos(1)), "period must be positive and at most PT8784H");
    refused(() -> Pace.of(0.999, YEAR), "at least one per PT8784H");
  }

  @Test
  void theExtremesThemselvesAreSupported() {
    assertThat(Pace.perSecond(1e6).interval()).isEqualTo(Duration.ofNanos(1_000));
    assertThat(Pace.perMinute(60e6).interval()).isEqualTo(Duration.ofNanos(1_000));
    assertThat(Pace.of(1, Duration.ofNanos(1_000)).interval()).isEqualTo(Duration.ofNanos(1_000));
    assertThat(Pace.of(1, YEAR).interval()).isEqualTo(YEAR);
    assertThatNoException().isThrownBy(() -> Pace.of(366 * 86_400 * 1e6, YEAR));
  }

  @Test
  @SuppressWarnings("NullAway")
  void aPeriodMustBePositiveAndInReach() {
    refused(() -> Pace.of(1, null), "period must not be null");
    refused(() -> Pace.of(1, Duration.ZERO), "period must be positive", "was PT0S");
    refused(() -> Pace.of(1, Duration.ofSeconds(-1)), "period must be positive", "was PT-1S");
    refused(() -> Pace.of(1, Duration.ofSeconds(Long.MAX_VALUE)), "period must be positive");
    refused(() -> Pace.of(1, Duration.ofSeconds(Long.MIN_VALUE)), "period must be positive");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void aBurstBelowOneIsRefused(int burst) {
    refused(() -> Pace.perSecond(7).burst(burst), "burst must be at least 1", "was " + burst);
  }

  @Test
  void aBurstAboveThePermitsIsRefused() {
    refused(() -> Pace.perSecond(7).burst(8), "burst must be at most the permits per period", "(7)", "was 8");
    refused(() -> Pace.perSecond(7).burst(Integer.MAX_VALUE), "burst must be at most", "was 2147483647");
    refused(() -> Pace.perSecond(10).headroom(0.5).burst(6), "less the headroom (5)", "was 6");
    refused(() -> Pace.perSecond(10).burst(6).headroom(0.5), "less the headroom (5)", "was 6");
  }

  @Test
  void aBurstWhoseOwnLengthIsBeyondAYearIsRefused() {
    refused(() -> Pace.of(2, YEAR).burst(2), "at least one per PT8784H, its burst included", "burst 2");
    assertThatNoException().isThrownBy(() -> Pace.of(3, Duration.ofDays(183)).burst(2));
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1, 1.5, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void aHeadroomThatIsNoPartIsRefused(double headroom) {
    refused(() -> Pace.perSecond(7).headroom(headroom), "headroom must be at least 0 and below 1", "was " + headroom);
  }

  @Test
  void headroomSlowsThePaceByThatPart() {
    assertThat(Pace.perSecond(10).headroom(0.1).interval()).isEqualTo(Duration.ofNanos(111_111_112));
    assertThat(Pace.perSecond(50).headroom(0.15).interval()).isEqualTo(Duration.ofNanos(23_529_412));
    assertThat(Pace.perSecond(10).headroom(0)).isEqualTo(Pace.perSecond(10));
    refused(() -> Pace.of(1, YEAR).headroom(0.01), "at least one per PT8784H", "headroom 0.01");
  }

  @ParameterizedTest
  @CsvSource({"10,1", "10,2", "10,9", "10,10", "7,3", "1,1", "1000,1000", "3,2"})
  void aBurstStaysInsideTheHardWindow(int permits, int burst) {
    Gcra gcra = Pace.perSecond(permits).burst(burst).gcra();
    List<Window.Spent> greedy = new ArrayList<>();
    for (int i = 0; i < 5 * permits; i++) { // an idle key whose slots are all taken, at the earliest
      greedy.add(new Window.Spent(Math.max(0, gcra.advance(i) - gcra.tolerance()), 1));
    }
    assertThat(Window.most(greedy, 1_000_000_000)).isEqualTo(permits);
    assertThat(Window.violation(greedy, gcra, 1)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(doubles = {1 / 7.0, 1 / 3.0, 0.1, 3, 7, 1_000, 3_333.3, 900_000, 999_999, 1e6})
  void roundingFallsShortByLessThanAPartIn100000AndNeverExceeds(double perSecond) {
    Gcra gcra = Pace.perSecond(perSecond).gcra();
    BigDecimal asked = new BigDecimal(perSecond);
    BigDecimal units = BigDecimal.valueOf(gcra.interval());
    BigDecimal given = units.multiply(asked).movePointLeft(9).divide(BigDecimal.valueOf(Gcra.FRACTION));
    assertThat(given).isBetween(BigDecimal.ONE, BigDecimal.ONE.add(new BigDecimal("0.00001")));
  }

  @Test
  void helpersAreWhatTheySay() {
    assertThat(Pace.perMinute(6)).isEqualTo(Pace.of(6, Duration.ofMinutes(1)));
    assertThat(Pace.perHour(6).interval()).isEqualTo(Duration.ofMinutes(10));
    assertThat(Pace.perDay(1).interval()).isEqualTo(Duration.ofSeconds(86_400));
    assertThat(Pace.perSecond(7).burst(3).toString()).isEqualTo("7 per PT1S, burst 3");
    assertThat(Pace.perSecond(7)).isNotEqualTo(Pace.perSecond(7).burst(3)).hasSameHashCodeAs(Pace.of(7, Duration.ofSeconds(1)));
  }

  @DisplayName("C012: the same rules hold at run time, and the old pace stays")
  @Test
  void aPaceThatIsRefusedAtRunTimeChangesNothing() {
    World world = new World();
    Pacer pacer = world.pacer(Pace.perSecond(10));
    refused(() -> pacer.pace("k", Pace.perSecond(0)), "permits must be positive");
    List<Caller> calls = world.calls(pacer, 3);
    world.pass(Duration.ofSeconds(1));
    assertThat(World.times(calls)).containsExactly(0L, 100_000_000L, 200_000_000L);
  }
}
